"use client";

import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { clockTime, exactTime } from "../timeline/times.ts";
import { MessageText } from "./message-text.tsx";

/** What the chat server itself tells: somebody came, left, renamed. */
export function SystemMessage({ post }: { post: Post }) {
  const { me } = useChat();
  if (post.delete_at > 0) return <div className="h-px" />;
  return (
    <div
      dir="auto"
      className="overflow-clip px-4 py-1.5 pl-16 text-xs text-ink-soft [overflow-wrap:anywhere]"
    >
      <MessageText text={post.message} myName={me.username} isLine />{" "}
      <time dateTime={new Date(post.create_at).toISOString()} title={exactTime(post.create_at)}>
        {clockTime(post.create_at)}
      </time>
    </div>
  );
}
