import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

/**
 * A part that loads when it is first shown, with `loading` in its place until then. One that can't be loaded is left
 * out, the page continues, and the next time that it is shown it is requested again.
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
    // While shown it stays the same, because another would start anew.
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
