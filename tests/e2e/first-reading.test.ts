import { once } from "node:events";
import type { Page } from "playwright/test";
import { channelLink, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

/** Holds the answer to a page's first request for an address until it is released, like a slow network. */
async function holdFirstAnswer(page: Page, address: RegExp) {
  const signals = new EventTarget();
  const isLetGo = once(signals, "let-go");
  const isRead = once(signals, "read");
  await page.route(
    address,
    async (route) => {
      const response = await route.fetch();
      signals.dispatchEvent(new Event("read"));
      await isLetGo;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return { isRead, letGo: () => signals.dispatchEvent(new Event("let-go")) };
}

/** Holds a page's socket until it is released. `isHeard` reports that an event has reached the page. */
async function holdSocket(page: Page, event: string) {
  const signals = new EventTarget();
  const isLetGo = once(signals, "let-go");
  const isGreeted = once(signals, "hello");
  const isHeard = once(signals, event);
  await page.routeWebSocket(/\/api\/chat\/websocket/, async (socket) => {
    await isLetGo;
    const server = socket.connectToServer();
    server.onMessage((text) => {
      socket.send(text);
      signals.dispatchEvent(new Event((JSON.parse(String(text)) as { event?: string }).event ?? "reply"));
    });
  });
  return { isGreeted, isHeard, letGo: () => signals.dispatchEvent(new Event("let-go")) };
}

async function addTo(room: Room, other: Room, name: string): Promise<void> {
  const userId = other.people.get(name)?.userId;
  await room.people.get("alice")?.mattermost("POST", `/channels/${room.id}/members`, { user_id: userId });
}

const listAddress = /\/api\/chat\/channels$/;
const postsAddress = /\/api\/chat\/channels\/[a-z0-9]{26}\/posts\?/;

test("the list shows a channel added before the first connection, even if the list arrives after it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Early Room", ["alice", "bob"]);
  const late = await createRoom(url, "Missed Room", ["alice"]);
  const bob = await openAs("bob", null);
  const list = await holdFirstAnswer(bob, listAddress);
  const socket = await holdSocket(bob, "user_added");
  await bob.goto(`/chat/${room.id}`);
  await list.isRead;
  await addTo(late, room, "bob");
  socket.letGo();
  await socket.isGreeted;
  list.letGo();
  await expect(channelLink(bob, late.title)).toBeVisible();
});

test("the list shows a channel that was added during its first fetch", async ({ openAs, url }) => {
  const room = await createRoom(url, "Waiting Room", ["alice", "bob"]);
  const late = await createRoom(url, "Told Room", ["alice"]);
  const bob = await openAs("bob", null);
  await bob.clock.install();
  const socket = await holdSocket(bob, "user_added");
  socket.letGo();
  const list = await holdFirstAnswer(bob, listAddress);
  await bob.goto(`/chat/${room.id}`);
  await Promise.all([list.isRead, socket.isGreeted]);
  await addTo(late, room, "bob");
  await socket.isHeard;
  // This is longer than the page waits between two refetches caused by events.
  await bob.clock.runFor(2_500);
  list.letGo();
  await expect(channelLink(bob, late.title)).toBeVisible();
});

test("a message written before the first connection is shown, even if the messages arrive after it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Slow Room", ["alice", "bob"]);
  const bob = await openAs("bob", null);
  const posts = await holdFirstAnswer(bob, postsAddress);
  const socket = await holdSocket(bob, "posted");
  await bob.goto(`/chat/${room.id}`);
  await posts.isRead;
  await say(room, "alice", "Said in the gap");
  socket.letGo();
  await socket.isGreeted;
  posts.letGo();
  await waitForChannel(bob, room.title);
  await expect(timeline(bob, room.title).getByText("Said in the gap")).toBeVisible();
});

test("a message written during a channel's first fetch is shown once", async ({ openAs, url }) => {
  const room = await createRoom(url, "Busy Room", ["alice", "bob"]);
  const bob = await openAs("bob", null);
  const socket = await holdSocket(bob, "posted");
  socket.letGo();
  const posts = await holdFirstAnswer(bob, postsAddress);
  await bob.goto(`/chat/${room.id}`);
  await Promise.all([posts.isRead, socket.isGreeted]);
  await say(room, "alice", "Said meanwhile");
  await socket.isHeard;
  posts.letGo();
  await waitForChannel(bob, room.title);
  await expect(timeline(bob, room.title).getByText("Said meanwhile")).toHaveCount(1);
});

test("the chat opens Town Square for new users, and the last read channel for others", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Left Off Room", ["dave"]);
  const dave = await openAs("dave", null);
  let lastRead: string | null = null;
  await dave.route(listAddress, async (route) => {
    const response = await route.fetch();
    const { channels } = (await response.json()) as { channels: Array<{ id: string }> };
    const asNew = channels.map((channel) => ({
      ...channel,
      message_count: 0,
      mention_count: 0,
      last_viewed_at: channel.id === lastRead ? 1 : 0,
    }));
    await route.fulfill({ response, json: { channels: asNew } });
  });
  await dave.goto("/chat");
  await waitForChannel(dave, "Town Square");
  lastRead = room.id;
  await dave.goto("/chat");
  await waitForChannel(dave, room.title);
});
