import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { type EventContext, followEvents } from "#app/(demo)/_chat/data/events.ts";
import type { PostsPage } from "#app/(demo)/_chat/data/model.ts";
import { placePage, type Timeline } from "#app/(demo)/_chat/data/timeline-pages.ts";
import { createEvents } from "#lib/chat-client/chat-events.ts";

it("removes a team's channels immediately when the user leaves it, but not when someone else does", () => {
  const cache = new QueryClient();
  let rereadings = 0;
  const context = {
    cache,
    me: { id: "me", username: "me" },
    refetchChannels: () => {
      rereadings += 1;
    },
  } satisfies Partial<EventContext> as unknown as EventContext;
  const [room, conversation] = [
    { id: "room", teamId: "team" },
    { id: "conversation", teamId: "" },
  ];
  const key = queryKeys.timeline(room.id, "latest");
  const page = { posts: [], hasMore: false, member: { lastViewedAt: 1 } } as unknown as PostsPage;
  cache.setQueryData(queryKeys.channels, [room, conversation]);
  cache.setQueryData<Timeline>(key, { pages: [placePage(page, {})], pageParams: [{}] });
  const events = createEvents();
  followEvents(events.on, () => context);
  const leave = (userId: string) =>
    events.tellFrame({
      event: "leave_team",
      seq: 1,
      data: { team_id: "team", user_id: userId },
      broadcast: {},
    });
  leave("bob");
  expect([cache.getQueryData(queryKeys.channels), rereadings]).toEqual([[room, conversation], 0]);
  leave("me");
  expect([cache.getQueryData(queryKeys.channels), rereadings]).toEqual([[conversation], 1]);
  expect(cache.getQueryData<Timeline>(key)?.pages[0]?.member).toBeNull();
  cache.clear();
});
