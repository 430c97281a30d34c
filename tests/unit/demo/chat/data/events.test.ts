import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryKeys } from "#app/(demo)/_chat/data/cache.ts";
import { type EventContext, followEvents } from "#app/(demo)/_chat/data/events.ts";
import type { Channel, Post, PostsPage, User } from "#app/(demo)/_chat/data/model.ts";
import { createOutbox } from "#app/(demo)/_chat/data/outbox.ts";
import { createTypingList } from "#app/(demo)/_chat/data/presence.ts";
import { placePage, postsOf, type Timeline } from "#app/(demo)/_chat/data/timeline-pages.ts";
import { openForReading, unreadSince } from "#app/(demo)/_chat/data/use-view.ts";
import { createEvents } from "#lib/chat-client/chat-events.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { wireText } from "#tests/harness/on-the-wire.ts";
import { samplePost } from "#tests/harness/sample-post.ts";
import { soon } from "#tests/harness/soon.ts";

const key = queryKeys.timeline("room", "latest");
const room = {
  id: "room",
  type: "O",
  messageCount: 0,
  mentionCount: 0,
  lastPostAt: 0,
  lastViewedAt: 1_000,
  isMuted: false,
};

describe("applying Mattermost's events", () => {
  let cache: QueryClient;
  let context: EventContext;
  let news: string[];
  let arrived: string[];
  let isReading: boolean;
  let told: Record<string, string>;
  let rereadings: number;
  let lateRereadings: number;
  let inboxReadings: number;
  let isApart: boolean;

  beforeEach(() => {
    vi.stubGlobal("localStorage", memoryStorage());
    cache = new QueryClient();
    news = [];
    arrived = [];
    isReading = false;
    told = {};
    rereadings = 0;
    lateRereadings = 0;
    inboxReadings = 0;
    isApart = true;
    cache.setQueryData(queryKeys.channels, [room]);
    cache.setQueryData<Timeline>(key, {
      pages: [placePage({ posts: [samplePost("root")], hasMore: false } as unknown as PostsPage, {})],
      pageParams: [{}],
    });
    context = {
      cache,
      me: { id: "me", username: "me" },
      outbox: createOutbox("me"),
      typing: createTypingList(),
      presence: {
        tell: (statuses) => Object.assign(told, statuses),
        see: (userId) => Object.assign(told, { [userId]: "online" }),
      },
      sayHere: () => undefined,
      refetchInbox: () => {
        inboxReadings += 1;
      },
      areThreadsApart: () => isApart,
      refetchChannels: () => {
        rereadings += 1;
      },
      refetchLater: () => {
        lateRereadings += 1;
      },
      isReading: () => isReading,
      onArrival: (postId) => void arrived.push(postId),
      onNews: (post) => void news.push(post.id),
    };
  });
  afterEach(() => {
    cache.clear();
    vi.unstubAllGlobals();
  });

  const happen = (event: string, data: Record<string, unknown>, broadcast = {}) => {
    const events = createEvents();
    followEvents(events.on, () => context);
    events.tellFrame({ event, seq: 1, data, broadcast });
  };
  const posted = (post: Post, more = {}) => happen("posted", { post: wireText(post), ...more });
  const shown = () => postsOf(cache.getQueryData<Timeline>(key));
  const root = () => shown().find(({ id }) => id === "root");
  const channel = () => cache.getQueryData<Channel[]>(queryKeys.channels)?.[0];

  it("adds a new post once, and counts it as unread, with a mention if it names the user", () => {
    posted(samplePost("new", { createAt: 2_000 }), { mentions: '["me"]', sender_name: "@bob" });
    posted(samplePost("new", { createAt: 2_000 }));
    expect(shown().map(({ id }) => id)).toEqual(["root", "new"]);
    expect(channel()).toMatchObject({ mentionCount: 1, lastPostAt: 2_000 });
    expect(cache.getQueryData(queryKeys.users)).toEqual({ bob: { id: "bob", username: "bob" } });
    expect(news).toContain("new");
    expect(arrived).toContain("new");
  });

  it.each([
    ["a public channel that was never opened", { lastViewedAt: 0 }, [0, 1]],
    ["a private channel that was never opened", { lastViewedAt: 0, type: "P" }, [0, 1]],
    ["a first direct message", { lastViewedAt: 0, type: "D" }, [1, 1]],
    ["a muted channel", { isMuted: true }, [0, 1]],
    ["a muted direct channel", { isMuted: true, type: "D" }, [0, 0]],
    ["any other channel", {}, [1, 1]],
  ])("counts messages and mentions like the server in %s", (_which, more, counts) => {
    cache.setQueryData(queryKeys.channels, [{ ...room, ...more }]);
    posted(samplePost("new", { createAt: 2_000 }), { mentions: '["me"]' });
    expect([channel()?.messageCount, channel()?.mentionCount]).toEqual(counts);
  });

  it.each([
    [true, [0, 0]],
    [false, [1, 1]],
  ])("counts a reply in its channel only if threads are not separate (separate: %s)", (apart, counts) => {
    isApart = apart;
    posted(samplePost("reply", { rootId: "root", createAt: 2_000 }), { mentions: '["me"]' });
    expect([channel()?.messageCount, channel()?.mentionCount]).toEqual(counts);
    expect(news).toEqual(["reply"]);
  });

  it("reloads followed threads when replies arrive, or when threads are read or unfollowed elsewhere", () => {
    happen("thread_updated", { thread: JSON.stringify({ id: "root" }) });
    happen("thread_read_changed", { thread_id: "root" });
    happen("thread_follow_changed", { thread_id: "root" });
    expect(inboxReadings).toBe(3);
  });

  it("keeps an open channel unread after it was marked as unread, until it is read elsewhere", () => {
    const mark = (channel_id: string) => happen("post_unread", { last_viewed_at: 1_500 }, { channel_id });
    mark("room");
    expect(unreadSince("room")).toBeNull();
    const leave = openForReading("room");
    mark("other");
    expect(unreadSince("room")).toBeNull();
    mark("room");
    expect([unreadSince("room"), unreadSince("other"), rereadings]).toEqual([1_500, null, 3]);
    happen("channel_viewed", { channel_id: "room" });
    expect(unreadSince("room")).toBeNull();
    mark("room");
    leave();
    expect(unreadSince("room")).toBeNull();
  });

  it("renames a partner, and reloads the list after a delay if people or server settings change", () => {
    const partner = { id: "bob", username: "bob" };
    cache.setQueryData(queryKeys.channels, [
      { ...room, type: "D", displayName: "@bob", directUser: partner },
    ]);
    happen("user_updated", { user: { ...partner, username: "robert" } });
    expect(channel()).toMatchObject({ displayName: "@robert", directUser: { username: "robert" } });
    happen("user_activation_status_change", {});
    happen("config_changed", { config: {} });
    expect([lateRereadings, rereadings]).toEqual([2, 0]);
    happen("channel_updated", { channel: "{}" });
    expect([lateRereadings, rereadings]).toEqual([2, 1]);
  });

  it("shows people as online when they type or write, except in system messages", () => {
    happen("typing", { user_id: "eve", parent_id: "" }, { channel_id: "room" });
    posted(samplePost("new", { userId: "bob" }));
    posted(samplePost("joined", { userId: "carol", type: "system_join_channel" }));
    expect(told).toEqual({ eve: "online", bob: "online" });
  });

  it("counts no message in a channel that is being read, nor the user's own posts", () => {
    isReading = true;
    posted(samplePost("read"));
    isReading = false;
    posted(samplePost("own", { userId: "me", createAt: 3_000 }));
    expect(channel()).toMatchObject({ messageCount: 0, mentionCount: 0, lastViewedAt: 3_000 });
    expect(news).toEqual([]);
  });

  it("removes a confirmed post from the outbox", async () => {
    const waiting = { pendingId: "me:1", channelId: "room", rootId: "", message: "x", createdAt: 1 };
    context.outbox.add({ ...waiting, state: "sending" });
    posted(samplePost("mine", { userId: "me", pendingPostId: "me:1" }));
    await soon(() => expect(context.outbox.snapshot()).toEqual([]));
  });

  it("counts a reply once at its root, and subtracts it when it is deleted", () => {
    const reply = samplePost("reply", { rootId: "root", createAt: 5_000 });
    posted(reply);
    posted(reply);
    expect(root()?.replyCount).toBe(1);
    happen("post_deleted", { post: wireText(reply) });
    expect(root()?.replyCount).toBe(0);
  });

  it("keeps a post that arrived while an older answer was pending", async () => {
    let finish: (timeline: Timeline | undefined) => void = () => undefined;
    const before = cache.getQueryData<Timeline>(key);
    const reading = cache.fetchQuery({
      queryKey: key,
      queryFn: () => new Promise<Timeline | undefined>((resolve) => (finish = resolve)),
    });
    posted(samplePost("meanwhile", { createAt: 9_000 }));
    finish(before);
    await reading;
    await soon(() => expect(shown().map(({ id }) => id)).toEqual(["root", "meanwhile"]));
  });

  it("reloads the list for an unknown channel, and for events while an older answer is pending", async () => {
    happen("channel_created", { channel_id: "other" });
    expect(rereadings).toBe(1);
    posted(samplePost("there", { channelId: "other", createAt: 2_000 }));
    expect(rereadings).toBe(2);
    posted(samplePost("here", { createAt: 3_000 }));
    expect(rereadings).toBe(2);
    let finish: (channels: Channel[]) => void = () => undefined;
    const reading = cache.fetchQuery({
      queryKey: queryKeys.channels,
      queryFn: () => new Promise<Channel[]>((resolve) => (finish = resolve)),
    });
    posted(samplePost("meanwhile", { createAt: 4_000 }));
    expect(rereadings).toBe(3);
    posted(samplePost("own", { createAt: 5_000, userId: "me" }));
    expect(rereadings).toBe(4);
    happen("channel_viewed", { channel_id: "room" });
    expect(rereadings).toBe(5);
    finish([]);
    await reading;
  });

  it("updates edited posts, empties deleted ones, and toggles reactions", () => {
    happen("post_edited", { post: wireText(samplePost("root", { message: "changed", editAt: 9 })) });
    expect(root()).toMatchObject({ message: "changed", editAt: 9 });
    const reaction = { userId: "eve", postId: "root", emojiName: "tada" };
    happen("reaction_added", { reaction: wireText(reaction) });
    expect(root()?.metadata?.reactions).toEqual([reaction]);
    happen("reaction_removed", { reaction: wireText(reaction) });
    expect(root()?.metadata?.reactions).toEqual([]);
    happen("post_deleted", { post: wireText(samplePost("root")) });
    expect(root()?.message).toBe("");
    expect(root()?.deleteAt).toBeGreaterThan(0);
  });

  it("shows who is typing, except for the user", () => {
    happen("typing", { user_id: "bob", parent_id: "" }, { channel_id: "room" });
    happen("typing", { user_id: "me", parent_id: "" }, { channel_id: "room" });
    expect(context.typing.snapshot().map(({ userId }) => userId)).toEqual(["bob"]);
    posted(samplePost("new"));
    expect(context.typing.snapshot()).toEqual([]);
  });

  it("clears unread counts when the channel is read elsewhere", () => {
    posted(samplePost("new", { createAt: 2_000 }));
    happen("multiple_channels_viewed", { channel_times: { room: 2_000 } });
    expect(channel()).toMatchObject({ messageCount: 0, lastViewedAt: 2_000 });
  });

  it("applies status_change to a person", () => {
    happen("status_change", { user_id: "bob", status: "dnd" });
    expect(told).toEqual({ bob: "dnd" });
  });

  const pageOf = () => cache.getQueryData<Timeline>(key)?.pages[0];

  it("removes a channel from the list, and the membership from its open pages, once the user is removed", () => {
    cache.setQueryData<Timeline>(key, {
      pages: [
        placePage({ posts: [], hasMore: false, member: { lastViewedAt: 1 } } as unknown as PostsPage, {}),
      ],
      pageParams: [{}],
    });
    happen("user_removed", { channel_id: "room", remover_id: "bob" }, { user_id: "me" });
    expect(pageOf()?.member).toBeNull();
    expect(cache.getQueryData(queryKeys.channels)).toEqual([]);
    expect(rereadings).toBe(1);
  });

  it("marks open pages of a channel as archived or restored, and reloads the list", () => {
    happen("channel_deleted", { channel_id: "room", delete_at: 5 });
    expect(pageOf()?.channel.deleteAt).toBeGreaterThan(0);
    happen("channel_restored", { channel_id: "room" });
    expect(pageOf()?.channel.deleteAt).toBe(0);
    expect(rereadings).toBe(2);
  });

  it("counts posts of programs and /me actions, and ignores names that programs chose", () => {
    const said = (id: string, change: object) =>
      happen("posted", {
        post: wireText(samplePost(id, { userId: "hook", createAt: 2_000, ...change })),
        sender_name: "alerts",
      });
    said("one", { type: "slack_attachment", props: { from_webhook: "true", override_username: "alerts" } });
    said("two", { type: "me", props: { from_webhook: "true", override_username: "alerts" } });
    said("three", { type: "system_header_change", userId: "other" });
    expect(channel()?.messageCount).toBe(2);
    expect(cache.getQueryData<Record<string, User>>(queryKeys.users)?.hook).toBeUndefined();
    said("four", { userId: "other", props: {} });
    expect(told).toEqual({ other: "online" });
  });
});
