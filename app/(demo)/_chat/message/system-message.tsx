"use client";

import type { ReactNode } from "react";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { clockTime, exactTime } from "../data/times.ts";
import { MessageText } from "./message-text.tsx";

/** How the chat server's own words look between those of people. */
export function SystemLine({ children }: { children: ReactNode }) {
  return (
    <div
      dir="auto"
      className="overflow-clip px-4 py-1.5 pl-16 text-xs text-ink-soft [overflow-wrap:anywhere]"
    >
      {children}
    </div>
  );
}

/** What the chat server itself tells, for instance that a channel was renamed. */
export function SystemMessage({ post }: { post: Post }) {
  const { me } = useChat();
  if (post.delete_at > 0) return <div className="h-px" />;
  return (
    <SystemLine>
      <MessageText text={post.message} myName={me.username} isLine />{" "}
      <time dateTime={new Date(post.create_at).toISOString()} title={exactTime(post.create_at)}>
        {clockTime(post.create_at)}
      </time>
    </SystemLine>
  );
}
