"use client";

import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useEffect, useEffectEvent, useState } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { toast } from "../../_ui/toast.tsx";
import { useChat, useConversation } from "../chat-context.ts";
import { isTyping } from "../composer/focus-composer.ts";
import { copyLink, copyText } from "../copy.ts";
import { type Post, programOf, wordsOf } from "../data/model.ts";
import { usePostActions } from "../data/post-actions.ts";
import { ownNamesOf } from "../data/reaction-groups.ts";
import { showOriginal, translate, useTranslation } from "../data/translations.ts";
import { areThreadsApart } from "../data/use-inbox.ts";
import { markUnreadFrom } from "../data/use-view.ts";
import { emojiOf } from "../emoji/emojify.ts";
import { quickReactionNames, rememberEmoji } from "../emoji/recent-emoji.ts";
import { strings } from "../strings.en.ts";

/** Returns what the user may do with a message. */
export function useMessageActions(post: Post) {
  const { me, translates } = useChat();
  const translation = useTranslation(post);
  const { channelId, canModerate, isMember, setEditingId, openThread } = useConversation();
  const { pin } = usePostActions(me.id);
  const isPinned = post.isPinned === true;
  const isOwn = post.userId === me.id;
  const isApart = areThreadsApart(useQueryClient());
  const path = `/chat/${channelId}?post=${post.id}`;
  return {
    isOwn,
    isMember,
    // No form here can change a text that a program composed.
    mayEdit: isOwn && isMember && (post.type === "" || post.type === "me") && !programOf(post),
    mayRemove: isOwn ? isMember : canModerate,
    address: () => new URL(path, window.location.origin).href,
    isPinned,
    hasReactions: (post.metadata?.reactions ?? []).length > 0,
    mayTranslate: translates && post.message.trim() !== "",
    isTranslated: translation !== undefined,
    translate: () => {
      if (translation) showOriginal(post.id);
      else
        translate(post).catch((error: unknown) => {
          const isRefused = error instanceof ChatError && error.code === "invalid_request";
          toast.error(isRefused ? strings.translation.impossible : problemOf(error));
        });
    },
    pin: () => {
      pin.mutateAsync({ post, isPinned: !isPinned }).catch((error: unknown) => toast.error(problemOf(error)));
    },
    // Own messages are never new. The inbox says where a reply counts.
    mayMarkUnread: isMember && !isOwn && (post.rootId === "" || isApart !== undefined),
    markUnread: () => {
      markUnreadFrom(channelId, post, isApart !== false).catch((error: unknown) =>
        toast.error(problemOf(error)),
      );
    },
    reply: () => openThread(post.rootId || post.id),
    edit: () => setEditingId(post.id),
    copyLink: () => void copyLink(path),
    copyText: () => void copyText(wordsOf(post)),
  };
}

/** Makes the U key, on the focused message, mark its channel or thread as unread from that message on. */
export function useUnreadKey(
  post: Post,
  { mayMarkUnread, markUnread }: Pick<ReturnType<typeof useMessageActions>, "mayMarkUnread" | "markUnread">,
): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, target, defaultPrevented } = event;
    if (defaultPrevented || ctrlKey || metaKey || altKey || key.toLowerCase() !== "u") return;
    const focused = target instanceof Element && target.closest<HTMLElement>("[data-post]");
    if (!mayMarkUnread || !focused || focused.dataset.post !== post.id || isTyping(target)) return;
    event.preventDefault();
    markUnread();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => press(event);
    // Must run before the key is treated as the beginning of a message.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, []);
}

/** Returns a function that adds or removes the user's reaction to a message. */
export function useReact(post: Post) {
  const { me } = useChat();
  const { react } = usePostActions(me.id);
  return (emoji: string) => {
    const given = ownNamesOf(post, me.id, emoji);
    const character = emojiOf(emoji);
    if (given.length === 0 && character) rememberEmoji(me.username, character);
    const changes = given.length > 0 ? given.map((name) => [name, false] as const) : [[emoji, true] as const];
    for (const [name, add] of changes)
      react.mutateAsync({ post, emoji: name, add }).catch((error: unknown) => toast.error(problemOf(error)));
  };
}

/** Reactions that can be added with one press. They keep their order while they are shown. */
export function QuickReactions({ post, onReact }: { post: Post; onReact: (name: string) => void }) {
  const { me } = useChat();
  const [names] = useState(() => quickReactionNames(me.username));
  return names.map((name) => {
    const isOwn = ownNamesOf(post, me.id, name).length > 0;
    const label = strings.message.reactWith(name);
    return (
      <button
        key={name}
        type="button"
        aria-label={label}
        aria-pressed={isOwn}
        title={label}
        onClick={() => onReact(name)}
        className={clsx(
          "inline-flex size-8 items-center justify-center rounded-lg text-base pointer-coarse:size-11 max-sm:size-11 max-sm:text-xl",
          isOwn ? "bg-selected" : "hover:bg-sunken",
        )}
      >
        {emojiOf(name)}
      </button>
    );
  });
}
