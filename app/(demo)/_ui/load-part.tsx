import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

/**
 * A part that is loaded when it is first shown, with `loading` in its place until then; one that can't be loaded is left
 * out, the page goes on, and the next time that it is to be shown it is asked for again.
 */
export function loadPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: (props: Props) => ReactNode,
): ComponentType<Props> {
  const begin = () =>
    lazy<ComponentType<Props>>(() =>
      load().then(
        (component) => ({ default: component }),
        () => {
          next = begin();
          return { default: Nothing };
        },
      ),
    );
  let next = begin();
  // biome-ignore lint/correctness/noComponentHookFactories: every caller makes its part once, at module level
  return function LoadedPart(props: Props) {
    // While it is shown it stays the same: another would begin anew.
    const [Part] = useState(() => next);
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
