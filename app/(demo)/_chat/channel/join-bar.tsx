"use client";

import { strings } from "../strings.en.ts";
import { JoinButton } from "./join-button.tsx";

/** In place of the composer, for somebody who may read but is no member. */
export function JoinBar({ channelId }: { channelId: string }) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-t border-line bg-surface p-4 text-center">
      <p className="text-sm text-ink-soft">{strings.channel.joinHint}</p>
      <JoinButton channelId={channelId} />
    </div>
  );
}
