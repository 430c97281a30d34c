"use client";

import { useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { hasKeys } from "../../_ui/text-field.tsx";
import { useChat } from "../chat-context.ts";
import { readDraft, saveDraft } from "../data/drafts.ts";
import { useNextChannel } from "../data/next-channel.ts";
import { strings } from "../strings.en.ts";
import { isFocusLost, isTyping } from "./focus-composer.ts";
import { holdFiles } from "./held-files.ts";
import { beginHolding, type HeldField } from "./held-text.ts";
import { filesIn } from "./pictures.tsx";
import { refuseLongPaste } from "./refuse-long-paste.ts";
import { isComposing, isSendKey } from "./send-key.ts";
import { MAX_TYPED } from "./typed-text.ts";

/**
 * Receives what is typed, pasted or dropped between the choice of a channel and its display, and stores it as the
 * channel's draft. Its composer takes it over. The composer of the channel before may not receive it.
 */
export function HeldText() {
  const channelId = useNextChannel();
  return channelId && <Field key={channelId} channelId={channelId} />;
}

function Field({ channelId }: { channelId: string }) {
  const { me } = useChat();
  const field = useRef<HTMLTextAreaElement>(null);
  const held = useRef<HeldField>(null);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.value = readDraft(me.username, channelId, "");
    held.current = { channelId, element, isComposing: false, messages: [] };
    const stop = beginHolding(held.current);
    const focused = document.activeElement;
    const isLeft = isTyping(focused) && focused?.closest("main") !== null;
    if (isLeft || (isFocusLost() && hasKeys())) element.focus({ preventScroll: true });
    return stop;
  }, [me.username, channelId]);

  const take = useEffectEvent((event: ClipboardEvent | DragEvent) => {
    const files = filesIn(event);
    if (!files) return;
    event.preventDefault();
    // The composer of the channel before listens too.
    event.stopPropagation();
    holdFiles(`${me.username}.${channelId}.`, files);
  });
  useEffect(() => {
    const ended = new AbortController();
    for (const type of ["paste", "dragover", "drop"] as const)
      window.addEventListener(type, take, { capture: true, signal: ended.signal });
    return () => ended.abort();
  }, []);

  const save = () => {
    const text = [...(held.current?.messages ?? []), field.current?.value].join("\n");
    saveDraft(me.username, channelId, "", text);
  };
  const follow = (isComposing: boolean) => {
    if (held.current) held.current.isComposing = isComposing;
  };
  return (
    <textarea
      ref={field}
      aria-label={strings.composer.label("")}
      tabIndex={-1}
      maxLength={MAX_TYPED}
      className="sr-only"
      onInput={save}
      onPaste={refuseLongPaste}
      onCompositionStart={() => follow(true)}
      onCompositionEnd={() => follow(false)}
      onKeyDown={(event) => {
        if (isComposing(event) || !isSendKey(event)) return;
        event.preventDefault();
        const { value } = event.currentTarget;
        if (value.trim() === "") return;
        held.current?.messages.push(value);
        event.currentTarget.value = "";
        save();
      }}
    />
  );
}
