"use client";

import { useId, useState } from "react";
import { useChat } from "../chat-context.ts";
import { shortNameOf } from "../emoji/emojify.ts";
import { recentEmoji } from "../emoji/recent-emoji.ts";
import { strings } from "../strings.en.ts";

/** The emoji that the user used last, above all others. */
export function RecentRow({ onPick }: { onPick: (character: string) => void }) {
  const { me } = useChat();
  const [recent] = useState(() => recentEmoji(me.username));
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line px-2 pb-2">
      <h3 id={id} className="px-1 pt-2 pb-1 text-xs font-medium text-ink-soft">
        {strings.message.recentEmoji}
      </h3>
      <div className="flex flex-wrap">
        {recent.map((character) => {
          const name = shortNameOf(character);
          return (
            <button
              key={character}
              type="button"
              aria-label={name ? `:${name}:` : character}
              onClick={() => onPick(character)}
              className="flex size-9 items-center justify-center rounded-lg text-xl hover:bg-sunken pointer-coarse:size-10"
            >
              {character}
            </button>
          );
        })}
      </div>
    </section>
  );
}
