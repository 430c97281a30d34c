import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

/**
 * Creates a part that loads when it is first shown, with `loading` in its place until then. A part that can't
 * be loaded is left out, and requested again the next time it is shown.
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
    // The component stays the same while it is shown, because another one would be mounted anew.
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
