"use client";

import { type RefObject, useRef } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import { MessageText } from "./message-text.tsx";
import { shorten } from "./shorten.ts";

/** Asks before a message is deleted; a moderator reads why they may. */
export function RemoveDialog({
  post,
  menu,
  onClose,
}: {
  post: Post;
  /** The button of the menu that asks, if one does. */
  menu?: RefObject<HTMLElement | null>;
  onClose: () => void;
}) {
  const { me, removals } = useChat();
  const remove = useRef<HTMLButtonElement>(null);
  const confirm = () => {
    removals.start(post);
    onClose();
  };
  return (
    <Dialog
      isOpen
      onOpenChange={onClose}
      title={strings.message.removeTitle}
      description={strings.message.removeText}
      initialFocus={remove}
      returnFocus={menu}
    >
      {post.user_id !== me.id && (
        <p className="mb-4 rounded-lg bg-accent-wash p-3 text-sm">{strings.message.removeAsModerator}</p>
      )}
      <blockquote
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message scrolls, also by keyboard
        tabIndex={0}
        dir="auto"
        aria-label={strings.message.removed}
        className="isolate mb-5 max-h-44 overflow-auto border-l-4 border-line-strong py-0.5 pl-3 text-[0.95rem] leading-6 [overflow-wrap:anywhere]"
      >
        <MessageText text={shorten(post.message)} myName={me.username} />
      </blockquote>
      <div className="flex justify-end gap-3">
        <Button onClick={onClose}>{strings.message.cancel}</Button>
        <Button ref={remove} tone="danger" onClick={confirm}>
          {strings.message.remove}
        </Button>
      </div>
    </Dialog>
  );
}
