"use client";

import { clsx } from "clsx";
import { Check } from "lucide-react";
import { Popover } from "radix-ui";
import { Menu as Primitive } from "radix-ui/internal";
import { type FocusEvent, type ReactNode, type RefObject, useRef, useState } from "react";
import type { Opened } from "./opener.tsx";

type PopupProps = { opened: Opened; children: ReactNode; align?: "start" | "end" };

/** Moves the focus back to the button, unless something else was pressed. */
function useFocusBack({ button }: Opened) {
  const isLeft = useRef(false);
  return {
    leave: () => {
      isLeft.current = true;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      if (!isLeft.current) button.focus();
    },
  };
}

/** A menu at the button that opened it. */
export function Menu({ opened, align = "end", children }: PopupProps) {
  const { id, button, isByKey, onClose } = opened;
  // The menu is inside the page's own landmark, so that screen readers list it there.
  const [place] = useState(() => document.getElementById("content"));
  const { leave, onCloseAutoFocus } = useFocusBack(opened);
  const isEntered = useRef(false);
  const enter = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (isEntered.current || target !== currentTarget) return;
    isEntered.current = true;
    // The key was pressed before the menu could handle it.
    if (isByKey) currentTarget.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
  };
  return (
    <Primitive.Root open modal={false} onOpenChange={onClose}>
      <Primitive.Anchor virtualRef={{ current: button }} />
      <Primitive.Portal container={place}>
        <Primitive.Content
          id={id}
          aria-labelledby={button.id}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onFocus={enter}
          onInteractOutside={leave}
          onCloseAutoFocus={onCloseAutoFocus}
          className="z-50 max-h-(--radix-popper-available-height) min-w-48 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lift"
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** A small dialog at the button that opened it, above or below an area that it must not cover. */
export function Card({
  opened,
  align = "end",
  label,
  clearOf,
  className,
  children,
}: PopupProps & { label: string; clearOf?: RefObject<HTMLElement | null> | undefined; className: string }) {
  const { id, button, onClose } = opened;
  const { leave, onCloseAutoFocus } = useFocusBack(opened);
  const anchor = {
    getBoundingClientRect() {
      const { x, y, width, height } = button.getBoundingClientRect();
      const kept = clearOf?.current?.getBoundingClientRect() ?? { y, height };
      return new DOMRect(x, kept.y, width, kept.height);
    },
  };
  return (
    <Popover.Root open onOpenChange={onClose}>
      <Popover.Anchor virtualRef={{ current: anchor }} />
      <Popover.Portal>
        <Popover.Content
          id={id}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          onInteractOutside={(event) => {
            leave();
            // A press on the button closes the card. It must not find the card already closed, or it would
            // open it again.
            if (event.target instanceof Node && button.contains(event.target)) event.preventDefault();
          }}
          onCloseAutoFocus={onCloseAutoFocus}
          className={clsx("rounded-xl border border-line bg-raised shadow-lift", className)}
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

export function MenuItem({
  icon,
  children,
  onSelect,
  isDanger = false,
}: {
  icon?: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  isDanger?: boolean;
}) {
  return (
    <Primitive.Item
      onSelect={onSelect}
      className={clsx(
        "flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm outline-none data-highlighted:bg-sunken pointer-coarse:py-3",
        isDanger ? "text-danger" : "text-ink",
      )}
    >
      {icon}
      {children}
    </Primitive.Item>
  );
}

/** One choice of several, under a heading. The arrow keys move through it as through the rest of the menu. */
export function MenuChoice<T extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: T;
  options: readonly (readonly [value: T, name: string])[];
  onChoose: (value: T) => void;
}) {
  return (
    <Primitive.RadioGroup aria-label={label} value={value} onValueChange={(chosen) => onChoose(chosen as T)}>
      <Primitive.Label aria-hidden className="px-3 pt-1.5 pb-1 text-xs font-semibold text-ink-faint">
        {label}
      </Primitive.Label>
      {options.map(([option, name]) => (
        <Primitive.RadioItem
          key={option}
          value={option}
          className="flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-1.5 text-sm text-ink outline-none data-highlighted:bg-sunken pointer-coarse:py-3"
        >
          <span aria-hidden className="flex size-4 shrink-0 items-center justify-center">
            <Primitive.ItemIndicator>
              <Check size={16} />
            </Primitive.ItemIndicator>
          </span>
          {name}
        </Primitive.RadioItem>
      ))}
    </Primitive.RadioGroup>
  );
}

export function MenuSeparator() {
  return <Primitive.Separator className="my-1 h-px bg-line" />;
}
