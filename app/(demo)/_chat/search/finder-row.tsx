import { Command } from "cmdk";
import type { ReactNode } from "react";

/** One line that can be chosen in the finder; `id` tells it from all others. */
export function FinderRow({
  id,
  icon,
  children,
  hint,
  isDisabled,
  onChoose,
}: {
  id: string;
  icon: ReactNode;
  children: ReactNode;
  hint?: string | undefined;
  isDisabled: boolean;
  onChoose: () => void;
}) {
  return (
    <Command.Item
      value={id}
      disabled={isDisabled}
      onSelect={onChoose}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 text-sm data-[selected=true]:bg-accent-wash"
    >
      <span className="flex w-6 shrink-0 justify-center text-ink-faint">{icon}</span>
      <span className="truncate">{children}</span>
      {hint && <span className="ml-auto truncate pl-3 text-xs text-ink-soft">{hint}</span>}
    </Command.Item>
  );
}
