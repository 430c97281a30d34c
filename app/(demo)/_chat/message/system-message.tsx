"use client";

import type { ReactNode } from "react";
import { useChat } from "../chat-context.ts";
import { type Act, summarizeAttendance } from "../data/attendance.ts";
import { channelNews } from "../data/channel-news.ts";
import type { Post } from "../data/model.ts";
import { clockTime, exactTime } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { MessageText } from "./message-text.tsx";

/** How Mattermost's own words look between those of people. */
function SystemLine({ children }: { children: ReactNode }) {
  return (
    <div dir="auto" className="column overflow-clip py-1.5 text-xs text-ink-soft [overflow-wrap:anywhere]">
      <div className="ps-12">{children}</div>
    </div>
  );
}

/** What Mattermost itself tells, for instance that a channel was renamed. */
export function SystemMessage({ post }: { post: Post }) {
  const { me } = useChat();
  const author = useUser(post.user_id)?.username;
  if (post.delete_at > 0) return <div className="h-px" />;
  const text = channelNews(post) ?? post.message;
  // Most of them tell of somebody by name; the others are told by somebody.
  const isUnsigned = author !== undefined && !text.includes(author);
  return (
    <SystemLine>
      {isUnsigned && <span className="font-semibold">{author}: </span>}
      <MessageText text={text || strings.message.notShowable} myName={me.username} isLine />{" "}
      <time dateTime={new Date(post.create_at).toISOString()} title={exactTime(post.create_at)}>
        {clockTime(post.create_at)}
      </time>
    </SystemLine>
  );
}

const MOST_NAMED = 2;

/** Up to three names in full; of more, two and a number. */
function nameAll(names: readonly string[]): string {
  const hidden = names.length - MOST_NAMED;
  if (hidden <= 1) return strings.list(names);
  return strings.list([...names.slice(0, MOST_NAMED), strings.attendance.others(hidden)]);
}

const sentenceOf = ({ act, names }: { act: Act; names: readonly string[] }) =>
  strings.attendance[act](nameAll(names), names.length);

/** Comings and goings in one line; the names that it leaves out stand in its title. */
export function AttendanceMessage({ posts }: { posts: readonly Post[] }) {
  const last = posts.at(-1);
  if (!last) return null;
  const acts = summarizeAttendance(posts);
  const everybody = acts.map(({ act, names }) => strings.attendance[act](strings.list(names), names.length));
  return (
    <SystemLine>
      <span title={everybody.join(" ")}>{acts.map(sentenceOf).join(" ")}</span>{" "}
      <time dateTime={new Date(last.create_at).toISOString()} title={exactTime(last.create_at)}>
        {clockTime(last.create_at)}
      </time>
    </SystemLine>
  );
}
