import {
  type ComponentType,
  createContext,
  lazy,
  type ReactNode,
  Suspense,
  startTransition,
  useContext,
  useEffect,
  useEffectEvent,
  useState,
} from "react";
import type { Opened } from "./opener.tsx";
import { strings } from "./strings.en.ts";

const RETRY_MS = 10_000;
const NOTE_MS = 6_000;

/** Requests the failed part around it again. */
const Again = createContext(() => {});

/**
 * Creates a part that loads when it is first shown, with `loading` in its place until then. A part that can't
 * be loaded and can be closed is closed with a note to the reader, and requested again when it is next opened.
 * Others are replaced by `loading`, with `hasFailed`, and requested again until they load.
 */
export function loadPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: (props: Props, hasFailed: boolean) => ReactNode,
): ComponentType<Props> {
  const begin = () =>
    lazy<ComponentType<Props>>(() =>
      load().then(
        (component) => ({ default: component }),
        () => {
          next = begin();
          return {
            default: (props) => <FailedPart closable={props}>{loading?.(props, true)}</FailedPart>,
          };
        },
      ),
    );
  let next = begin();
  // biome-ignore lint/correctness/noComponentHookFactories: every caller makes its part once, at module level
  return function LoadedPart(props: Props) {
    // The component stays the same while it is shown, because another one would be mounted anew.
    const [Part, setPart] = useState(() => next);
    const [again] = useState(() => () => startTransition(() => setPart(() => next)));
    return (
      <Again value={again}>
        <Suspense fallback={loading?.(props, false) ?? null}>
          <Part {...props} />
        </Suspense>
      </Again>
    );
  };
}

type Closable = { opened?: Opened; onClose?: () => void };

/** Closes a part that can be closed. Requests others again, with `children` in their place. */
function FailedPart({ closable, children }: { closable: Closable; children: ReactNode }) {
  const { opened, onClose = opened?.onClose } = closable;
  const again = useContext(Again);
  const act = useEffectEvent(() => {
    if (!onClose) return again();
    tellFailure();
    opened?.button.focus();
    onClose();
  });
  const delayMs = onClose ? 0 : RETRY_MS;
  useEffect(() => {
    const timer = setTimeout(act, delayMs);
    window.addEventListener("online", act);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("online", act);
    };
  }, [delayMs]);
  return onClose ? null : children;
}

/** Shows a note without the toasts, whose code may be what can't be loaded. */
function tellFailure(): void {
  const note = document.createElement("p");
  note.role = "alert";
  note.className = "fixed inset-x-4 top-18 z-50 mx-auto w-fit rounded-lg bg-raised p-3 text-sm shadow-lift";
  note.textContent = strings.notLoaded;
  document.body.append(note);
  setTimeout(() => note.remove(), NOTE_MS);
}
