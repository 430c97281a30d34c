"use client";

import { Undo2 } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { Button } from "../../_ui/button.tsx";
import { Dialog } from "../../_ui/dialog.tsx";
import { useChat } from "../chat-context.ts";
import { catchFocus } from "../composer/focus-composer.ts";
import { type Post, wordsOf } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import { MessageText, shorten } from "./message-text.tsx";

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
        <p className="mb-4 rounded-lg bg-selected p-3 text-sm">{strings.message.removeAsModerator}</p>
      )}
      <blockquote
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long message scrolls, also by keyboard
        tabIndex={0}
        dir="auto"
        aria-label={strings.message.removed}
        className="isolate mb-5 max-h-44 overflow-auto border-s-4 border-line-strong py-0.5 ps-3 text-md [overflow-wrap:anywhere]"
      >
        <MessageText text={shorten(wordsOf(post))} myName={me.username} />
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

/** In place of a message that is about to be deleted: the way back. `rootId` names the composer beside it. */
export function RemovedMessage({ postId, rootId }: { postId: string; rootId: string }) {
  const { removals } = useChat();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The window in which the deletion was confirmed gives the focus back to a button that is gone.
    const timer = setTimeout(() => button.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(
    () => () => {
      // Taken back or done, the button goes with the focus.
      if (document.activeElement === button.current) setTimeout(() => catchFocus(rootId));
    },
    [rootId],
  );
  return (
    <p role="status" className="flex items-center gap-3 text-md text-ink-soft italic">
      {strings.message.deleted}
      <button
        ref={button}
        type="button"
        onClick={() => removals.undo(postId)}
        className="inline-flex h-7 items-center gap-1.5 rounded-lg px-2 text-sm pointer-coarse:h-10 font-medium text-link not-italic hover:bg-sunken"
      >
        <Undo2 aria-hidden size={15} />
        {strings.message.undo}
      </button>
    </p>
  );
}
