"use client";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { isBlankMarkdown } from "#lib/blank-text.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { Button } from "../../_ui/button.tsx";
import { GrowingField } from "../../_ui/growing-field.tsx";
import { hasKeys } from "../../_ui/text-field.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat, useConversation } from "../chat-context.ts";
import { focusComposer, focusOnceVisible } from "../composer/focus-composer.ts";
import { refuseLongPaste } from "../composer/refuse-long-paste.ts";
import { isComposing, isSendKey } from "../composer/send-key.ts";
import { excessOf, MAX_CHARACTERS, MAX_TYPED } from "../composer/typed-text.ts";
import { readEdit, saveEdit } from "../data/drafts.ts";
import { actOf, type Post, wordsOf } from "../data/model.ts";
import { usePostActions } from "../data/post-actions.ts";
import { strings } from "../strings.en.ts";
import { prepareText } from "./prepare-texts.ts";

/** The form for editing a message. It stays open with its text until the change is accepted. */
export function EditForm({ post }: { post: Post }) {
  const { me } = useChat();
  const { setEditingId } = useConversation();
  const { edit } = usePostActions(me.id);
  // The unsaved text is read once, because others may see the new text while the request is pending.
  const [kept] = useState(() => readEdit(me.username, post));
  const [text, setText] = useState(kept ?? wordsOf(post));
  // A server that accepted a longer message accepts one of that length again.
  const [limit] = useState(() => Math.max(MAX_CHARACTERS, [...wordsOf(post)].length));
  const excess = excessOf(text, limit);
  const isEmpty = isBlankMarkdown(text);

  const field = useRef<HTMLTextAreaElement>(null);
  // A form that was left open does not take the focus when it comes into view again.
  useEffect(() => (kept === null && field.current ? focusOnceVisible(field.current) : undefined), [kept]);

  useEffect(() => {
    void prepareText(text);
  }, [text]);

  const change = (next: string) => {
    setText(next);
    saveEdit(me.username, post, next === wordsOf(post) ? null : next);
  };
  const close = () => {
    saveEdit(me.username, post, null);
    setEditingId(null);
    if (hasKeys()) focusComposer(post.rootId);
  };
  const save = () => {
    if (isEmpty || excess > 0 || edit.isPending) return;
    if (text.trim() === wordsOf(post)) return close();
    edit
      .mutateAsync({ post, message: post.type === "me" ? actOf(text.trim()) : text.trim() })
      .then(close, (error: unknown) => toast.error(problemOf(error)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "Escape") close();
    else if (isSendKey(event)) save();
    else return;
    event.preventDefault();
  };

  return (
    <div className="my-1">
      <GrowingField
        ref={field}
        dir="auto"
        aria-label={strings.message.edit}
        aria-invalid={excess > 0 || undefined}
        value={text}
        maxLength={Math.max(MAX_TYPED, limit * 2)}
        onPaste={refuseLongPaste}
        onChange={(event) => change(event.target.value)}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onKeyDown={onKeyDown}
        className="max-h-[calc(12lh+1rem+2px)] w-full rounded-lg border border-line-strong bg-raised px-3 py-2 text-base sm:text-md"
      />
      <div className="mt-1 flex flex-wrap items-center gap-2">
        <Button
          size="small"
          tone="primary"
          isBusy={edit.isPending}
          disabled={isEmpty || excess > 0}
          onClick={save}
        >
          {strings.message.save}
        </Button>
        <Button size="small" onClick={close}>
          {strings.message.cancel}
        </Button>
        <span className="text-xs text-ink-soft">
          {excess > 0 ? strings.composer.tooLong(excess) : hasKeys() && strings.message.editHint}
        </span>
      </div>
    </div>
  );
}
