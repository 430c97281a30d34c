"use client";

import { useState } from "react";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { useUser } from "../data/use-channels.ts";
import { emojify } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";

const SPOKEN_CHARACTERS = 200;

/** Tells screen readers of messages that come in; the list itself, which recycles its rows, stays silent. */
export function Announcer({ last }: { last: Post | undefined }) {
  const { me } = useChat();
  const [openedAfter] = useState(last?.create_at ?? 0);
  const author = useUser(last?.user_id ?? "");
  const isNews =
    last !== undefined && last.create_at > openedAfter && last.user_id !== me.id && last.delete_at === 0;
  const name = author?.username ?? strings.sidebar.unknownPerson;
  return (
    <div aria-live="polite" className="sr-only">
      {isNews && strings.timeline.from(name, emojify(last.message).slice(0, SPOKEN_CHARACTERS))}
    </div>
  );
}
