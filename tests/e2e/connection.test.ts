import { messages } from "../../app/(demo)/_chat/messages.en.ts";
import { channelLink, composer, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("without a connection the page says so, keeps what is written, and catches up afterwards", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Tunnel Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await write(alice, room.title, "Entering the tunnel");
  await expect(timeline(alice, room.title).getByText("Entering the tunnel")).toBeVisible();

  await alice.context().setOffline(true);
  await expect(alice.getByRole("status").filter({ hasText: messages.connection.offline })).toBeVisible();
  await say(room, "bob", "Can you hear me?");
  await write(alice, room.title, "Written in the dark");
  await expect(alice.getByText("Written in the dark")).toBeVisible();
  await expect(alice.getByText(messages.message.notSent)).toBeVisible();

  await alice.context().setOffline(false);
  await expect(alice.getByText(messages.connection.offline)).toBeHidden();
  await expect(timeline(alice, room.title).getByText("Can you hear me?")).toBeVisible({ timeout: 30_000 });
  const retry = alice.getByRole("button", { name: messages.message.retry });
  if (await retry.isVisible()) await retry.click();
  await expect(alice.getByText(messages.message.notSent)).toBeHidden();
  await alice.reload();
  await expect(timeline(alice, room.title).getByText("Written in the dark")).toHaveCount(1);
});

test("a tab opens one websocket, and asks for nothing while it is up", async ({ openAs, url }) => {
  const room = await createRoom(url, "Quiet Room", ["alice", "bob"]);
  const alice = await openAs("alice", "/");
  const sockets: string[] = [];
  alice.on("websocket", (socket) => sockets.push(socket.url()));
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await say(room, "bob", "Settle down first");
  await expect(timeline(alice, room.title).getByText("Settle down first")).toBeVisible();
  // The mark for that message goes out two seconds after the last one at the latest.
  await alice.waitForTimeout(3_000);

  const requests: string[] = [];
  alice.on("request", (request) => requests.push(request.url()));
  // Longer than any sensible polling interval of a chat.
  await alice.waitForTimeout(12_000);
  expect(requests).toEqual([]);
  await channelLink(alice, "Town Square").click();
  await waitForChannel(alice, "Town Square");
  expect(sockets.filter((address) => address.includes("/api/chat/websocket"))).toHaveLength(1);
});

test("marking a channel as read costs one request", async ({ openAs, url }) => {
  const room = await createRoom(url, "Frugal Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await erin.waitForTimeout(3_000);
  const requests: string[] = [];
  erin.on("request", (request) => {
    // Pictures of people who are met are no part of it.
    if (request.url().includes("/api/chat/") && request.resourceType() !== "image")
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  await composer(erin, room.title).click();
  await say(room, "alice", "Read this");
  await expect(timeline(erin, room.title).getByText("Read this")).toBeVisible();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  await erin.waitForTimeout(3_000);
  expect(requests).toEqual([`POST /api/chat/channels/${room.id}/view`]);
});
