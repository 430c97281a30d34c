"use client";

import { clsx } from "clsx";
import { Pin, Undo2 } from "lucide-react";
import Link from "next/link";
import { memo, useEffect, useLayoutEffect, useRef } from "react";
import { useLanguage } from "../../_ui/choose-language.ts";
import { loadClosable } from "../../_ui/load-closable.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { useChat, useConversation, useIsRemoving } from "../chat-context.ts";
import { catchFocus } from "../composer/focus-composer.ts";
import { saidIn } from "../data/channel-news.ts";
import { isAct, isSystemPost, type Post, programOf } from "../data/model.ts";
import { pendingIdOf } from "../data/outbox.ts";
import { clockTime, exactTime } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";
import { EditForm } from "./edit-form.tsx";
import { MessageAuthor, MessageBody, MessagePicture, ReactionChips } from "./message-body.tsx";
import { useMessageFocus } from "./message-focus.ts";
import { SystemMessage } from "./system-message.tsx";
import { RepliedLine, ThreadSummary } from "./thread-summary.tsx";

/** Delay before the action bar is preloaded, because the messages come first. */
const PREPARED_AFTER_MS = 1_000;

const loadMenu = () => import("./message-menu.tsx");
const MessageToolbar = loadPart(() => loadMenu().then((module) => module.MessageToolbar));
const MessageSheet = loadClosable(() => loadMenu().then((module) => module.MessageSheet));

/** Preloads the action bar of messages, so that it is ready on the first hover. */
export function usePreparedMenu(): void {
  useEffect(() => {
    const timer = setTimeout(() => void loadMenu().catch(() => undefined), PREPARED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
}

const NAME_LENGTH = 80;

/** Returns the first words of a message or its enclosures, by which screen readers name it. */
export function beginningOf(post: Post): string {
  const words = emojify(saidIn(post)).replace(/\s+/g, " ");
  return words.length > NAME_LENGTH
    ? `${words.slice(0, NAME_LENGTH).replace(/[\ud800-\udbff]$/, "")}…`
    : words;
}

type MessageProps = {
  post: Post;
  isGrouped: boolean;
  /** True if the address names this message. */
  isLinked: boolean;
  isInThread: boolean;
  /** True if the message only serves as a reminder of the thread's subject. */
  isFolded?: boolean;
};

/** One message. Its actions appear on hover, on focus or on a long press. */
export const Message = memo(function Message({
  post,
  isGrouped,
  isLinked,
  isInThread,
  isFolded = false,
}: MessageProps) {
  useLanguage();
  const { me } = useChat();
  const { channelId, editingId } = useConversation();
  const focus = useMessageFocus();
  const isRemoving = useIsRemoving(post.id);
  const user = useUser(post.userId);
  const author = programOf(post)?.name ?? user?.username ?? "";
  if (isSystemPost(post)) return <SystemMessage post={post} />;

  const isDeleted = isRemoving || post.deleteAt > 0;
  const isEditing = editingId !== null && (editingId === post.id || editingId === pendingIdOf(post));
  const isBody = !isRemoving && (!isEditing || isDeleted);
  const time = clockTime(post.createAt);
  return (
    <article
      {...focus.handlers}
      data-post={post.id}
      aria-label={strings.message.named(
        author,
        time,
        isDeleted ? strings.message.deleted : beginningOf(post),
      )}
      tabIndex={-1}
      className={clsx(
        "column relative flex scroll-mt-9 gap-3 [overflow-wrap:anywhere] focus-visible:outline-offset-[-2px]",
        isGrouped ? "py-0.5 compact:py-0" : "pt-2.5 pb-0.5 compact:pt-1 compact:pb-0",
        isLinked ? "bg-selected" : focus.isActive && "bg-surface",
      )}
    >
      <div className="w-9 shrink-0">
        {!isGrouped && <MessagePicture userId={post.userId} />}
        {isGrouped && (
          <Link
            prefetch={false}
            href={`/chat/${channelId}?post=${post.id}`}
            title={exactTime(post.createAt)}
            className={clsx(
              "block pt-1 text-end text-xs leading-4 whitespace-nowrap text-ink-faint focus:opacity-100 pointer-coarse:pointer-events-none",
              focus.isActive ? "opacity-100" : "opacity-0",
            )}
          >
            <time dateTime={new Date(post.createAt).toISOString()}>{time}</time>
          </Link>
        )}
      </div>
      <div className="min-w-0 grow">
        {post.isPinned === true && !isDeleted && (
          <p className="flex items-center gap-1 text-xs text-ink-soft">
            <Pin aria-hidden size={12} />
            {strings.message.pinned}
          </p>
        )}
        {!isGrouped && !(isAct(post) && isBody && !isDeleted) && <MessageAuthor post={post} />}
        {!isInThread && !isGrouped && post.rootId !== "" && <RepliedLine post={post} />}
        {isRemoving && <RemovedMessage postId={post.id} rootId={isInThread ? post.rootId || post.id : ""} />}
        {!isRemoving && isEditing && !isDeleted && <EditForm post={post} />}
        {isBody && <MessageBody post={post} myName={me.username} isFolded={isFolded} />}
        {!isDeleted && <ReactionChips post={post} />}
        {!isInThread && (post.replyCount ?? 0) > 0 && !isDeleted && <ThreadSummary post={post} />}
      </div>
      {(focus.isActive || focus.hasFocus) && !focus.isSheetOpen && !isEditing && !isDeleted && (
        <MessageToolbar
          post={post}
          isInThread={isInThread}
          isGrouped={isGrouped}
          isShown={focus.isActive}
          onPin={focus.pin}
        />
      )}
      {focus.isSheetOpen && !isDeleted && (
        <MessageSheet post={post} isInThread={isInThread} onClose={focus.closeSheet} />
      )}
    </article>
  );
});

/**
 * Replaces a message that is about to be deleted, with an undo button. `rootId` names the composer next to
 * the message.
 */
function RemovedMessage({ postId, rootId }: { postId: string; rootId: string }) {
  const { removals } = useChat();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The dialog that confirmed the deletion returns the focus to a button that is gone.
    const timer = setTimeout(() => button.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(
    () => () => {
      // After an undo or the deletion, the button disappears with the focus.
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
        className="inline-flex h-7 items-center gap-1.5 rounded-lg px-2 text-sm pointer-coarse:h-11 font-medium text-link not-italic hover:bg-sunken"
      >
        <Undo2 aria-hidden size={15} />
        {strings.message.undo}
      </button>
    </p>
  );
}
