import { messages } from "../messages.en.ts";

/** What stands above the first message of a channel. */
export function TimelineStart() {
  return <p className="px-4 pt-8 pb-2 text-center text-sm text-ink-soft">{messages.timeline.start}</p>;
}
