"use client";

import { clsx } from "clsx";
import { Check } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useState } from "react";

/** A menu that opens from `trigger` (a single button element). */
export function Menu({
  trigger,
  children,
  align = "end",
  onOpenChange,
}: {
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  onOpenChange?: (isOpen: boolean) => void;
}) {
  // Where landmarks are listed, what opens belongs to the page's own.
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const tell = (isOpen: boolean) => {
    if (isOpen) setPlace(document.getElementById("content"));
    onOpenChange?.(isOpen);
  };
  return (
    <DropdownMenu.Root modal={false} onOpenChange={tell}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal container={place}>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lift"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
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
    <DropdownMenu.Item
      onSelect={onSelect}
      className={clsx(
        "flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm outline-none data-highlighted:bg-sunken pointer-coarse:py-3",
        isDanger ? "text-danger" : "text-ink",
      )}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}

/** One choice of several, under a heading; arrow keys walk through it as through the rest of the menu. */
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
    <DropdownMenu.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(chosen) => onChoose(chosen as T)}
    >
      <DropdownMenu.Label aria-hidden className="px-3 pt-1.5 pb-1 text-xs font-semibold text-ink-faint">
        {label}
      </DropdownMenu.Label>
      {options.map(([option, name]) => (
        <DropdownMenu.RadioItem
          key={option}
          value={option}
          className="flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-1.5 text-sm text-ink outline-none data-highlighted:bg-sunken pointer-coarse:py-3"
        >
          <span aria-hidden className="flex size-4 shrink-0 items-center justify-center">
            <DropdownMenu.ItemIndicator>
              <Check size={16} />
            </DropdownMenu.ItemIndicator>
          </span>
          {name}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
