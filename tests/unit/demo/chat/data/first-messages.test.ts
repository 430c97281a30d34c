import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { type EventContext, followEvents } from "#app/(demo)/_chat/data/events.ts";
import type { Channel, Post } from "#app/(demo)/_chat/data/model.ts";
import { createTypingList } from "#app/(demo)/_chat/data/presence.ts";
import { createEvents } from "#lib/chat-client/chat-events.ts";
import { wireText } from "#tests/harness/on-the-wire.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

it("reports a message in an unlisted channel once the channel is listed, unless it is the user's own", () => {
  const cache = new QueryClient();
  const news: Array<[string, string, boolean]> = [];
  let rereadings = 0;
  const context = {
    cache,
    me: { id: "me", username: "me" },
    typing: createTypingList(),
    presence: { tell: () => undefined, see: () => undefined },
    areThreadsApart: () => undefined,
    isReading: () => false,
    onArrival: () => undefined,
    refetchChannels: () => {
      rereadings += 1;
    },
    onNews: (post: Post, channel: Channel, _sender: string, isMention: boolean) =>
      void news.push([post.id, channel.id, isMention]),
  } satisfies Partial<EventContext> as unknown as EventContext;
  const events = createEvents();
  followEvents(events.on, () => context);
  const happen = (id: string, userId: string) => {
    const post = wireText(samplePost(id, { createAt: 1_000, userId }));
    events.tellFrame({ event: "posted", seq: 1, data: { post, sender_name: "@bob" }, broadcast: {} });
  };
  cache.setQueryData(queryKeys.channels, []);
  happen("own", "me");
  happen("first", "bob");
  expect([news, rereadings]).toEqual([[], 2]);
  for (let reading = 0; reading < 2; reading++)
    cache.setQueryData(queryKeys.channels, [{ id: "room", type: "D", messageCount: 1 + reading }]);
  expect(news).toEqual([["first", "room", true]]);
  cache.clear();
});
