"use client";

import {
  type ComponentProps,
  cloneElement,
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  type SyntheticEvent,
  useId,
  useState,
} from "react";

/** The opened element's id, and the button that opened it. */
export type Opened = {
  /** Id of the opened element, so that the button can refer to it. */
  id: string;
  /** The button that gets the focus back on closing. */
  button: HTMLElement;
  isByKey: boolean;
  onClose: () => void;
};

/**
 * Opens the result of `part` from `children`, a single button. The part is loaded when the button is hovered
 * or focused. A menu opens as soon as the button is pressed.
 */
export function Opener({
  kind,
  load,
  part,
  onOpenChange,
  children,
}: {
  kind: "menu" | "dialog";
  load?: () => Promise<unknown>;
  part: (opened: Opened) => ReactNode;
  onOpenChange?: ((isOpen: boolean) => void) | undefined;
  children: ReactElement<ComponentProps<"button">>;
}) {
  const id = useId();
  const [opened, setOpened] = useState<Pick<Opened, "button" | "isByKey"> | null>(null);
  const change = (next: typeof opened) => {
    setOpened(next);
    onOpenChange?.(next !== null);
  };
  const toggle = ({ currentTarget }: SyntheticEvent<HTMLElement>, isByKey: boolean) =>
    change(opened ? null : { button: currentTarget, isByKey });
  // A part that can't be loaded now may load when it is opened.
  const prepare = () => void load?.().catch(() => undefined);

  const onPointerDown = (event: PointerEvent<HTMLButtonElement>) => {
    if (event.button !== 0 || event.ctrlKey) return;
    toggle(event, false);
    // The button would take the focus from the menu.
    if (!opened) event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (!["Enter", " ", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    toggle(event, true);
  };
  const button = cloneElement(children, {
    id: `${id}-button`,
    "aria-haspopup": kind,
    "aria-expanded": opened !== null,
    ...(opened && { "aria-controls": id }),
    onPointerEnter: prepare,
    onFocus: prepare,
    ...(kind === "menu" ? { onPointerDown, onKeyDown } : { onClick: (event) => toggle(event, false) }),
  });
  return (
    <>
      {button}
      {opened && part({ id, ...opened, onClose: () => change(null) })}
    </>
  );
}
