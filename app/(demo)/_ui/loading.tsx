import { clsx } from "clsx";
import { type ComponentType, lazy, type ReactNode, Suspense } from "react";

/** A part that is loaded when it is first shown, with `loading` in its place until then; one that can't be loaded is left out, and the page goes on. */
export function loadPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: (props: Props) => ReactNode,
): ComponentType<Props> {
  const Part = lazy<ComponentType<Props>>(() =>
    load().then(
      (component) => ({ default: component }),
      () => ({ default: Nothing }),
    ),
  );
  // biome-ignore lint/correctness/noComponentHookFactories: every caller makes its part once, at module level
  return function LoadedPart(props: Props) {
    return (
      <Suspense fallback={loading?.(props) ?? null}>
        <Part {...props} />
      </Suspense>
    );
  };
}

function Nothing() {
  return null;
}

/** A grey shape that stands where content will be. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={clsx("block animate-pulse rounded-md bg-line", className)} />;
}
