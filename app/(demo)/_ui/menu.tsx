"use client";

import { clsx } from "clsx";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

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
  return (
    <DropdownMenu.Root modal={false} {...(onOpenChange && { onOpenChange })}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-48 rounded-xl border border-line bg-raised p-1 shadow-lift"
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

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}
