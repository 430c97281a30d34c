"use client";

import { SmilePlus } from "lucide-react";
import type { RefObject } from "react";
import { failedNote } from "../../_ui/failed-note.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { Opener } from "../../_ui/opener.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { shortNameOf } from "../emoji/emojify.ts";
import { rememberEmoji } from "../emoji/recent-emoji.ts";
import { strings } from "../strings.en.ts";

const load = () => import("./emoji-picker.tsx");
const Card = loadClosable(() => import("../../_ui/popups.tsx").then((module) => module.Card));
const EmojiPicker = loadPart(
  () => load().then((module) => module.EmojiPicker),
  (props, hasFailed) =>
    failedNote(props, hasFailed) || (
      <p className="p-6 text-center text-sm text-ink-soft">{strings.message.loadingEmoji}</p>
    ),
);

type EmojiButtonProps = {
  label: string;
  isSmall?: boolean;
  /** An element that the picker must not cover. */
  clearOf?: RefObject<HTMLElement | null>;
  onOpenChange?: (isOpen: boolean) => void;
  onCharacter?: (character: string) => void;
  /** Called with the emoji's short name on the server; emoji without a short name are refused. */
  onName?: (name: string) => void;
};

/** Opens the picker and passes on the picked emoji. */
export function EmojiButton({
  label,
  isSmall = false,
  clearOf,
  onOpenChange,
  onCharacter,
  onName,
}: EmojiButtonProps) {
  const { me } = useChat();
  const pick = (character: string) => {
    rememberEmoji(me.username, character);
    onCharacter?.(character);
    if (!onName) return;
    const name = shortNameOf(character);
    if (name) onName(name);
    else toast.error(strings.message.unknownEmoji);
  };
  return (
    <Opener
      kind="dialog"
      load={load}
      onOpenChange={onOpenChange}
      part={(opened) => (
        <Card
          opened={opened}
          label={label}
          clearOf={clearOf}
          className="z-50 max-h-(--radix-popover-content-available-height) w-80 pointer-coarse:w-93 max-w-[calc(100vw-1rem)] overflow-hidden"
        >
          <EmojiPicker
            onPick={(character) => {
              opened.onClose();
              pick(character);
            }}
          />
        </Card>
      )}
    >
      <IconButton label={label} size={isSmall ? "small" : "large"}>
        <SmilePlus aria-hidden size={isSmall ? 17 : 20} />
      </IconButton>
    </Opener>
  );
}
