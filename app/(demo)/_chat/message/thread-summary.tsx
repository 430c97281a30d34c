"use client";

import { CornerUpLeft, MessageSquareText } from "lucide-react";
import { createContext, useContext } from "react";
import { useConversation } from "../chat-context.ts";
import { saidIn } from "../data/channel-news.ts";
import type { Post } from "../data/model.ts";
import { clockTime, dayInSentence, isToday } from "../data/times.ts";
import { useUser, useUsers } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { Faces } from "../people/faces.tsx";
import { strings } from "../strings.en.ts";

type Thread = {
  /** The message that was replied to, if it is loaded. */
  root: Post | undefined;
  /** The authors of replies, latest first. */
  userIds: readonly string[];
  /** The number of loaded replies. */
  count: number;
  /** The time of the latest loaded reply, in milliseconds. */
  lastAt: number;
};

/** The threads of the loaded posts, by their roots. */
export const ThreadsContext = createContext<ReadonlyMap<string, Thread>>(new Map());

/** Groups the loaded replies into threads; posts are passed oldest first. */
export function threadsOf(posts: readonly Post[]): ReadonlyMap<string, Thread> {
  const threads = new Map<string, Thread>();
  const byId = new Map(posts.map((post) => [post.id, post]));
  for (const { rootId, userId, createAt, deleteAt } of posts) {
    if (rootId === "" || deleteAt > 0) continue;
    const known = threads.get(rootId);
    const others = (known?.userIds ?? []).filter((id) => id !== userId);
    const count = (known?.count ?? 0) + 1;
    const root = byId.get(rootId);
    threads.set(rootId, { root, userIds: [userId, ...others], count, lastAt: createAt });
  }
  return threads;
}

const isWhole = (root: Post, thread: Thread): boolean => thread.count >= (root.replyCount ?? 0);

/**
 * Returns the time of the last reply to a root, or null if no reply is loaded and the root lacks the time.
 */
export function lastReplyAt(root: Post, thread: Thread | undefined): number | null {
  return thread && isWhole(root, thread) ? thread.lastAt : root.lastReplyAt || null;
}

/**
 * Returns the authors of replies to a root, latest first: from the replies if all are loaded, otherwise from
 * the root.
 */
export function repliersOf(root: Post, thread: Thread | undefined): string[] {
  const named = thread && isWhole(root, thread) ? [] : (root.participants ?? []);
  return [...new Set([...named.map(({ id }) => id).reverse(), ...(thread?.userIds ?? [])])];
}

const EXCERPT_CHARACTERS = 120;

/** The line above a reply in its channel: says whose message it answers, and opens the thread. */
export function RepliedLine({ post }: { post: Post }) {
  const { openThread } = useConversation();
  const root = useContext(ThreadsContext).get(post.rootId)?.root;
  const author = useUser(root?.userId ?? "")?.username;
  const said = root && root.deleteAt === 0 ? emojify(saidIn(root)).slice(0, EXCERPT_CHARACTERS) : "";
  return (
    <button
      type="button"
      onClick={() => openThread(post.rootId)}
      className="flex max-w-full items-center gap-1.5 text-sm text-ink-soft hover:text-ink pointer-coarse:min-h-11"
    >
      <CornerUpLeft aria-hidden size={13} className="shrink-0 rtl:-scale-x-100" />
      <span className="truncate">
        {author && said !== "" ? strings.message.repliedTo(author, said) : strings.message.replied}
      </span>
    </button>
  );
}

const MOST_FACES = 3;

/** The number of replies to a message, their authors, and the time of the last one. It opens the thread. */
export function ThreadSummary({ post }: { post: Post }) {
  const { openThread } = useConversation();
  const thread = useContext(ThreadsContext).get(post.id);
  const lastAt = lastReplyAt(post, thread);
  const users = useUsers();
  const repliers = repliersOf(post, thread).flatMap((id) => users[id] ?? []);
  return (
    <button
      type="button"
      onClick={() => openThread(post.id)}
      className="mt-1 mb-0.5 flex w-fit max-w-full items-center gap-2 rounded-full border border-line bg-surface py-1 pe-3 ps-1.5 text-sm pointer-coarse:min-h-11 hover:border-line-strong"
    >
      {repliers.length === 0 ? (
        <MessageSquareText aria-hidden size={15} className="ms-1 text-ink-soft" />
      ) : (
        <Faces users={repliers.slice(0, MOST_FACES)} size="tiny" />
      )}
      <span className="font-medium">{strings.message.replies(post.replyCount ?? 0)}</span>
      {lastAt !== null && (
        <span className="truncate text-ink-soft">
          {strings.message.lastReply(isToday(lastAt) ? clockTime(lastAt) : dayInSentence(lastAt))}
        </span>
      )}
    </button>
  );
}
