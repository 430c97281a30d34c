"use client";

import { SmilePlus } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadPart } from "../../_ui/loading.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { shortNameOf } from "../emoji/emojify.ts";
import { rememberEmoji } from "../emoji/recent-emoji.ts";
import { strings } from "../strings.en.ts";

const EmojiPicker = loadPart(
  () => import("./emoji-picker.tsx").then((module) => module.EmojiPicker),
  () => <p className="p-6 text-center text-sm text-ink-soft">{strings.message.loadingEmoji}</p>,
);

type EmojiButtonProps = {
  label: string;
  isSmall?: boolean;
  onOpenChange?: (isOpen: boolean) => void;
  onCharacter?: (character: string) => void;
  /** Called with the server's short name; emoji without one are refused. */
  onName?: (name: string) => void;
};

/** Opens the picker and hands over what was picked. */
export function EmojiButton({ label, isSmall = false, onOpenChange, onCharacter, onName }: EmojiButtonProps) {
  const { me } = useChat();
  const [isOpen, setIsOpen] = useState(false);
  const change = (isNow: boolean) => {
    setIsOpen(isNow);
    onOpenChange?.(isNow);
  };
  const pick = (character: string) => {
    change(false);
    rememberEmoji(me.username, character);
    onCharacter?.(character);
    if (!onName) return;
    const name = shortNameOf(character);
    if (name) onName(name);
    else toast.error(strings.message.unknownEmoji);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={change}>
      <Popover.Trigger asChild>
        <IconButton label={label} size={isSmall ? "small" : "large"}>
          <SmilePlus aria-hidden size={isSmall ? 17 : 20} />
        </IconButton>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-50 w-80 pointer-coarse:w-86 max-w-[calc(100vw-1rem)] overflow-hidden rounded-xl border border-line bg-raised shadow-lift"
        >
          <EmojiPicker onPick={pick} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
