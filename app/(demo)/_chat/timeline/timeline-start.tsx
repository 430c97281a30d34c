import { messages } from "../messages.en.ts";

/** What is above the first loaded message. */
export function TimelineStart({ context }: { context?: { isStart: boolean; isEmpty: boolean } }) {
  if (!context?.isStart)
    return (
      <p className="px-4 pt-8 pb-2 text-center text-sm text-ink-soft">{messages.timeline.loadingOlder}</p>
    );
  return (
    <p className="px-4 pt-8 pb-2 text-center text-sm text-ink-soft">
      {context.isEmpty ? messages.timeline.empty : messages.timeline.start}
    </p>
  );
}
