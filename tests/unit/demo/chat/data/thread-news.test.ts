import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { type EventContext, followEvents } from "#app/(demo)/_chat/data/events.ts";
import { createTypingList } from "#app/(demo)/_chat/data/presence.ts";
import { createEvents } from "#lib/chat-client/chat-events.ts";
import { wireText } from "#tests/harness/on-the-wire.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

it.each([
  ["reports a reply in a followed thread as a mention", true, '["me"]', [["reply", true]]],
  ["ignores a reply in an unfollowed thread", true, '["bob"]', []],
  ["reports a reply like any other message if threads are not separate", false, '["me"]', [["reply", false]]],
])("%s", (_which, isApart, followers, expected) => {
  const cache = new QueryClient();
  const heard: unknown[] = [];
  const context = {
    cache,
    me: { id: "me", username: "me" },
    typing: createTypingList(),
    presence: { tell: () => undefined, see: () => undefined },
    areThreadsApart: () => isApart,
    isReading: () => false,
    onArrival: () => undefined,
    onNews: (post, _channel, _sender, isMention) => void heard.push([post.id, isMention]),
  } satisfies Partial<EventContext> as unknown as EventContext;
  cache.setQueryData(queryKeys.channels, [{ id: "room", type: "O", messageCount: 0, mentionCount: 0 }]);
  const events = createEvents();
  followEvents(events.on, () => context);
  const post = wireText(samplePost("reply", { rootId: "root", createAt: 2_000, userId: "bob" }));
  events.tellFrame({ event: "posted", seq: 1, data: { post, followers }, broadcast: {} });
  expect(heard).toEqual(expected);
  cache.clear();
});
