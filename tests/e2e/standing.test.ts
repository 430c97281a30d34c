import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { channelLink, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { fill, line, rowOf } from "./support/mixed-messages.ts";
import { expect, test } from "./support/test.ts";
import { watchRows } from "./support/watch-rows.ts";

const PLACE_PX = 2;
const strays = (strayed: readonly number[]) => strayed.filter((pixels) => pixels > PLACE_PX);

test("newer messages that load while scrolling down after a jump do not move the view, and lead to the end", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Onward Room", ["alice", "bob"]);
  const posts = await fill(room, 0, 300);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  let newer = 0;
  alice.on("requestfinished", (request) => {
    if (request.url().includes("after=")) newer += 1;
  });
  await alice.goto(`/chat/${room.id}?post=${posts[20]?.id}`);
  const list = timeline(alice, room.title);
  await expect(rowOf(list, posts[20])).toBeInViewport();
  const stop = await watchRows(list, 60);
  await expect(line(list, 299)).toBeInViewport({ timeout: 90_000 });
  expect(newer).toBeGreaterThan(1);
  expect(strays(await stop())).toEqual([]);
  await expect(alice.getByRole("button", { name: strings.timeline.jumpToLatest })).toBeHidden();
});

test("deleting a message above the view does not move the messages in it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Vanishing Room", ["alice", "bob"]);
  const tall = await say(room, "bob", "A tall one.\n".repeat(12));
  const posts = await fill(room, 0, 30);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(rowOf(list, posts.at(-1))).toBeInViewport();
  // The message is just out of view at the top, with all later messages in view.
  await rowOf(list, tall).evaluate((row) => {
    const log = row.closest("[role=log]");
    if (log) log.scrollTop += row.getBoundingClientRect().bottom - log.getBoundingClientRect().top + 40;
  });
  await expect(rowOf(list, tall)).not.toBeInViewport();
  await expect(rowOf(list, tall)).toBeAttached();
  const stop = await watchRows(list);
  await room.people.get("bob")?.chat("DELETE", `/channels/${room.id}/posts/${tall.id}`);
  await expect(rowOf(list, tall)).toContainText(strings.message.deleted);
  await expect(rowOf(list, tall)).not.toBeInViewport();
  expect(strays(await stop())).toEqual([]);
});

test("late growth above the view, such as an article's card, does not move the messages in it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Late Card Room", ["alice", "bob"]);
  const linked = await say(room, "bob", `Read ${url}/articles/one-key-for-each-job`);
  const posts = await fill(room, 0, 30);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", "/chat");
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await alice.route("**/api/demo/articles**", async (route) => {
    await released;
    await route.continue();
  });
  await alice.goto(`/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(rowOf(list, posts.at(-1))).toBeInViewport();
  const row = rowOf(list, linked);
  await row.evaluate((element) => {
    const log = element.closest("[role=log]");
    if (log) log.scrollTop += element.getBoundingClientRect().bottom - log.getBoundingClientRect().top + 40;
  });
  await expect(row).toBeAttached();
  const before = await row.evaluate((element) => element.getBoundingClientRect().height);
  const stop = await watchRows(list);
  release();
  // Alice may have bought the article in another test.
  await expect(row.getByRole("heading", { name: "One key for each job" })).toBeAttached();
  expect(await row.evaluate((element) => element.getBoundingClientRect().height)).toBeGreaterThan(before);
  expect(strays(await stop())).toEqual([]);
});

test("a channel that is opened again is as high as before, though few of its messages are rendered", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Measured Room", ["alice", "bob"]);
  const other = await createRoom(url, "Other Measured Room", ["alice", "bob"]);
  await fill(room, 0, 60);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(line(list, 59)).toBeInViewport();
  // Each message is measured once it is near the view.
  const start = list.getByRole("heading", { name: strings.timeline.start.heading.O(room.title) });
  await expect
    .poll(async () => {
      await list.press("PageUp");
      return start.isVisible();
    })
    .toBe(true);
  await list.press("Home");
  await expect(start).toBeInViewport();
  const heightOf = () => list.evaluate((element) => element.scrollHeight);
  const height = await heightOf();
  await channelLink(alice, other.title).click();
  await waitForChannel(alice, other.title);
  await channelLink(alice, room.title).click();
  await expect(line(list, 59)).toBeInViewport();
  await expect(start).toBeHidden();
  expect(await heightOf()).toBe(height);
});

test("a message that got longer while its channel was closed moves the later ones down", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Grown Room", ["alice", "bob"]);
  const other = await createRoom(url, "Other Grown Room", ["alice", "bob"]);
  const posts = await fill(room, 0, 30);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const [grown, last] = [rowOf(list, posts.at(-2)), rowOf(list, posts.at(-1))];
  await expect(last).toBeInViewport();
  await channelLink(alice, other.title).click();
  await waitForChannel(alice, other.title);
  await room.people.get("bob")?.chat("PATCH", `/channels/${room.id}/posts/${posts.at(-2)?.id}`, {
    message: "A longer one.\n".repeat(9),
  });
  await channelLink(alice, room.title).click();
  await expect(grown).toContainText("A longer one.");
  await expect(last).toBeInViewport();
  await expect.poll(async () => (await boxOf(grown)).bottom <= (await boxOf(last)).y + 1).toBe(true);
});
