"use client";

import { Fragment, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { holdPlace } from "../../_ui/folded.tsx";
import { useChat } from "../chat-context.ts";
import { type Act, summarizeAttendance } from "../data/attendance.ts";
import { channelNews } from "../data/channel-news.ts";
import type { Post } from "../data/model.ts";
import { clockTime, exactTime } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { MessageText } from "./message-text.tsx";

/** The style of Mattermost's notices between people's messages. */
function SystemLine({ children }: { children: ReactNode }) {
  return (
    <div dir="auto" className="column overflow-clip py-1.5 text-xs text-ink-soft [overflow-wrap:anywhere]">
      <div className="ps-12">{children}</div>
    </div>
  );
}

/** A notice by Mattermost, for instance that a channel was renamed. */
export function SystemMessage({ post }: { post: Post }) {
  const { me } = useChat();
  const author = useUser(post.userId)?.username;
  if (post.deleteAt > 0) return <div className="h-px" />;
  const text = channelNews(post) ?? post.message;
  // Most of these texts name the person. The others must show their author.
  const isUnsigned = author !== undefined && !text.includes(author);
  return (
    <SystemLine>
      {isUnsigned && <span className="font-semibold">{author}: </span>}
      <MessageText text={text || strings.message.notShowable} myName={me.username} isLine />
      <span> </span>
      <time dateTime={new Date(post.createAt).toISOString()} title={exactTime(post.createAt)}>
        {clockTime(post.createAt)}
      </time>
    </SystemLine>
  );
}

const MOST_NAMED = 2;

/**
 * An action and the people who did it: up to three full names, otherwise two and a button that names the
 * others.
 */
function Sentence({ act, names }: { act: Act; names: readonly string[] }) {
  const text = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) text.current?.focus({ preventScroll: true });
  }, [isOpen]);
  const tell = (told: readonly string[]) => strings.attendance[act](strings.list(told), names.length);
  const hidden = names.length - MOST_NAMED;
  if (isOpen || hidden <= 1)
    return (
      <span ref={text} tabIndex={isOpen ? -1 : undefined} className="outline-none">
        {tell(names)}
      </span>
    );
  const others = strings.attendance.others(hidden);
  // No name contains a space.
  const [before, after] = tell([...names.slice(0, MOST_NAMED), others]).split(others);
  return (
    <span ref={text}>
      <span>{before}</span>
      <button
        type="button"
        aria-expanded={false}
        onClick={() => {
          holdPlace(text.current);
          setIsOpen(true);
        }}
        className="relative rounded underline after:absolute after:-inset-x-2 after:-inset-y-3 hover:text-ink"
      >
        {others}
      </button>
      <span>{after}</span>
    </span>
  );
}

/** Joins and departures in one line. */
export function AttendanceMessage({ posts }: { posts: readonly Post[] }) {
  const last = posts.at(-1);
  if (!last) return null;
  return (
    <SystemLine>
      {summarizeAttendance(posts).map(({ act, names }) => (
        <Fragment key={act}>
          <Sentence act={act} names={names} />
          <span> </span>
        </Fragment>
      ))}
      <time dateTime={new Date(last.createAt).toISOString()} title={exactTime(last.createAt)}>
        {clockTime(last.createAt)}
      </time>
    </SystemLine>
  );
}
