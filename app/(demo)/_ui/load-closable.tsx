import { type ComponentType, type ReactNode, useEffectEvent, useLayoutEffect } from "react";
import { loadPart } from "./load-part.tsx";
import type { Opened } from "./opener.tsx";

type Closable = { opened?: Opened; onClose?: () => void };

/**
 * Creates a part that can be closed, and that its user can give up before it has loaded: with Escape or, if a button
 * opened it, with Tab or by a press elsewhere.
 */
export function loadClosable<Props extends Closable>(
  load: () => Promise<ComponentType<Props>>,
  loading?: (props: Props) => ReactNode,
): ComponentType<Props> {
  return loadPart(load, (props) => <Awaited {...props}>{loading?.(props)}</Awaited>);
}

function Awaited({ opened, onClose = opened?.onClose, children }: Closable & { children: ReactNode }) {
  const leave = useEffectEvent((event: Event) => {
    const { key, target } = event as KeyboardEvent;
    if (key === "Escape") event.stopPropagation();
    // The button itself closes what it has opened.
    else if (!opened || (key ? key !== "Tab" : opened.button.contains(target as Node))) return;
    onClose?.();
  });
  // The loaded part may take the focus as soon as it is in the page.
  useLayoutEffect(() => {
    const loaded = new AbortController();
    for (const type of ["keydown", "pointerdown"])
      window.addEventListener(type, leave, { capture: true, signal: loaded.signal });
    return () => loaded.abort();
  }, []);
  return children;
}
