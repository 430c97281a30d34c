"use client";

import { useState } from "react";
import { useChat } from "../chat-context.ts";
import { emojiOf } from "../emoji/emojify.ts";
import { quickReactionNames } from "../emoji/recent-emoji.ts";

/** The reactions that are one press away. They keep their places while they are shown. */
export function QuickReactions({ onReact }: { onReact: (name: string) => void }) {
  const { me } = useChat();
  const [names] = useState(() => quickReactionNames(me.username));
  return names.map((name) => (
    <button
      key={name}
      type="button"
      aria-label={`:${name}:`}
      title={`:${name}:`}
      onClick={() => onReact(name)}
      className="inline-flex size-8 items-center justify-center rounded-lg text-base hover:bg-sunken max-sm:size-11 max-sm:text-2xl"
    >
      {emojiOf(name)}
    </button>
  ));
}
