import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { channelLink, expectAtRest, messageRow, timeline, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { fill, line, rowOf } from "./support/mixed-messages.ts";
import { expect, test } from "./support/test.ts";
import { watchRows } from "./support/watch-rows.ts";

const PLACE_PX = 2;

const topOf = async (row: Locator) => (await boxOf(row)).y;
const heightOf = (list: Locator) => list.evaluate((element) => element.scrollHeight);

/** Holds the answers with older messages, except for the first `passed`, until they are released. */
async function holdOlder(page: Page, passed = 0) {
  let asked = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/posts\?.*before=/, async (route) => {
    asked += 1;
    if (asked > passed) await released;
    await route.continue();
  });
  return () => release();
}

/** Presses a key until an element is in view, because pages may load in between. */
async function pressUntilInView(focused: Locator, key: string, wanted: Locator) {
  await expect
    .poll(async () => {
      await focused.press(key);
      return wanted.isVisible();
    })
    .toBe(true);
  await expect(wanted).toBeInViewport();
}

test("older messages that load while scrolling up do not move the messages in view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Still Room", ["alice", "bob"]);
  await fill(room, 0, 300);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  let older = 0;
  alice.on("requestfinished", (request) => {
    if (request.url().includes("before=")) older += 1;
  });
  await alice.goto(`/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(line(list, 299)).toBeInViewport();
  // The formatter loads with the first message that needs it.
  await expect(list.locator("pre").first()).toBeVisible();
  const stop = await watchRows(list, -60);
  await expect(alice.getByText(strings.timeline.start.heading.O(room.title))).toBeInViewport({
    timeout: 90_000,
  });
  const strayed = await stop();
  expect(older).toBeGreaterThan(1);
  expect(strayed.filter((pixels) => pixels > PLACE_PX)).toEqual([]);
});

test("a channel with more than sixty unread messages opens at the first of them, and stays there", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Unread Room", ["alice", "bob"]);
  await fill(room, 0, 160);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const [first] = await fill(room, 160, 130);
  const alice = await openAs("alice", null);
  // There are more new messages than the first answer contains.
  const release = await holdOlder(alice, 1);
  await alice.goto(`/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const row = rowOf(list, first);
  const newLine = list.getByText(strings.timeline.newMessages, { exact: true });
  await expect(newLine).toBeInViewport();
  await expect(row).toBeInViewport();
  // The line is directly above the new messages, and is the first element in view.
  const announced = list
    .locator("[data-row]")
    .filter({ has: alice.getByText(strings.timeline.newMessages, { exact: true }) });
  await expect(announced.locator("[data-post]")).toHaveAttribute("data-post", first?.id ?? "");
  await expect.poll(async () => (await topOf(newLine)) - (await topOf(list))).toBeLessThan(60);
  const before = { top: await topOf(row), height: await heightOf(list) };
  release();
  await expect.poll(() => heightOf(list)).toBeGreaterThan(before.height);
  expect(Math.abs((await topOf(row)) - before.top)).toBeLessThanOrEqual(PLACE_PX);
  await expect(line(list, 289)).not.toBeInViewport();
});

for (const count of [1, 30])
  test(`a channel opens at the first of ${count} new messages, even if later replies fill the latest page`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Answered Room", ["alice", "bob"]);
    const [root] = await fill(room, 0, 20);
    await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
    const [first] = await fill(room, 20, count);
    for (let index = 0; index < 60; index++) await say(room, "bob", `Reply ${index}`, root?.id);
    const alice = await openAs("alice", `/chat/${room.id}`);
    const list = timeline(alice, room.title);
    await expect(rowOf(list, first)).toBeInViewport();
    await expect(list.getByText(strings.timeline.newMessages, { exact: true })).toBeInViewport();
  });

test("a channel at its end stays unread if its first new message was never loaded", async ({
  openAs,
  url,
}) => {
  const aside = await createRoom(url, "Other Room", ["alice", "bob"]);
  const room = await createRoom(url, "Unseen Room", ["alice", "bob"]);
  await fill(room, 0, 5);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  await fill(room, 5, 260);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await expect(line(timeline(alice, room.title), 264)).toBeInViewport();
  await say(aside, "bob", "Once");
  await expect(channelLink(alice, aside.title)).toContainText(strings.sidebar.unread(1));
  await say(aside, "bob", "Twice");
  await expect(channelLink(alice, aside.title)).toContainText(strings.sidebar.unread(2));
  await expect(channelLink(alice, room.title)).toContainText(strings.sidebar.unread(260));
  await alice.getByRole("button", { name: strings.timeline.jumpToNew(260), exact: true }).click();
  await expect(
    timeline(alice, room.title).getByText(strings.timeline.newMessages, { exact: true }),
  ).toBeInViewport();
  await alice.getByRole("button", { name: strings.timeline.jumpToLatest }).click();
  await expect(channelLink(alice, room.title)).not.toContainText(strings.sidebar.unread(260));
});

test("a linked message near the beginning stays in place when older messages load", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Early Room", ["alice", "bob"]);
  const [root] = await fill(room, 0, 10);
  // Replies fill the page around the link, so that the page has no message to show above the link.
  for (let index = 0; index < 60; index++) await say(room, "bob", `Reply ${index}`, root?.id);
  const [linked] = await fill(room, 10, 80);
  const alice = await openAs("alice", null);
  const release = await holdOlder(alice);
  await alice.goto(`/chat/${room.id}?post=${linked?.id}`);
  const list = timeline(alice, room.title);
  const row = rowOf(list, linked);
  await expect(row).toBeInViewport();
  await expect(alice.getByText(strings.timeline.loadingOlder)).toBeVisible();
  const before = await topOf(row);
  release();
  await expect(line(list, 0)).toBeAttached();
  await expect(alice.getByText(strings.timeline.loadingOlder)).toBeHidden();
  expect(Math.abs((await topOf(row)) - before)).toBeLessThanOrEqual(PLACE_PX);
});

test("the new-messages button leads to the first unread message, even if that is not loaded yet", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Backlog Room", ["alice", "bob"]);
  await fill(room, 0, 10);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const [first] = await fill(room, 10, 260);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const jump = alice.getByRole("button", { name: strings.timeline.jumpToNew(260), exact: true });
  await jump.click();
  await expect(rowOf(list, first)).toBeInViewport();
  await expect(list.getByText(strings.timeline.newMessages, { exact: true })).toBeInViewport();
  await expect(jump).toBeHidden();
});

test("a failure to load older messages is shown and can be retried", async ({ openAs, url }) => {
  const room = await createRoom(url, "Broken Room", ["alice", "bob"]);
  await fill(room, 0, 120);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", null);
  // A new connection refetches everything, including failed requests.
  await alice.routeWebSocket(/\/api\/chat\/websocket/, () => undefined);
  await alice.route(/\/posts\?.*before=/, (route) =>
    route.fulfill({ status: 400, contentType: "application/json", body: '{"error":"bad_request"}' }),
  );
  await alice.goto(`/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(line(list, 119)).toBeInViewport();
  const failed = alice.getByText(strings.timeline.pageFailed);
  await expect(failed).toBeVisible();
  await alice.unroute(/\/posts\?.*before=/);
  await alice.getByRole("button", { name: strings.failed.retry, exact: true }).click();
  await expect(failed).toBeHidden();
  await list.focus();
  await pressUntilInView(list, "Home", alice.getByText(strings.timeline.start.heading.O(room.title)));
  await expect(alice.getByText(strings.timeline.loadingOlder)).toBeHidden();
});

test("the keyboard scrolls the list, and a message's link keeps the focus when it leaves the view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Key Room", ["alice", "bob"]);
  const posts = await fill(room, 0, 130);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const last = rowOf(list, posts.at(-1));
  await expect(last).toBeInViewport();
  await list.focus();
  await list.press("PageUp");
  await list.press("PageUp");
  await expect(last).not.toBeInViewport();
  await list.press("PageDown");
  await list.press("PageDown");
  await expect(last).toBeInViewport();

  const link = last.getByRole("link").first();
  await link.focus();
  await pressUntilInView(link, "Home", rowOf(list, posts[0]));
  await expect(link).toBeFocused();
  await alice.keyboard.press("End");
  await expect(last).toBeInViewport();
  await expect(link).toBeFocused();
});

test("a reader of older messages stays there while others write, and sending scrolls to the end", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Busy Room", ["alice", "bob"]);
  const posts = await fill(room, 0, 60);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(rowOf(list, posts.at(-1))).toBeInViewport();
  const [next] = await fill(room, 60, 1);
  await expect(rowOf(list, next)).toBeInViewport();

  const read = rowOf(list, posts.at(-12));
  await read.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await expect(alice.getByRole("button", { name: strings.timeline.jumpToLatest, exact: true })).toBeVisible();
  const top = await topOf(read);
  await fill(room, 61, 3);
  await expect(
    alice.getByRole("button", { name: strings.timeline.latestWith(3), exact: true }),
  ).toBeVisible();
  expect(Math.abs((await topOf(read)) - top)).toBeLessThanOrEqual(PLACE_PX);
  await write(alice, room.title, "Here I am");
  await expect(messageRow(list, "Here I am")).toBeInViewport();
  await expect(alice.getByRole("button", { name: strings.timeline.jumpToLatest })).toBeHidden();
});

test("a scroll away from the end persists, even if a reaction is added at the same moment", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Moment Room", ["alice", "bob"]);
  const posts = await fill(room, 0, 40);
  const last = posts.at(-1);
  await room.people
    .get("bob")
    ?.chat("POST", `/channels/${room.id}/posts/${last?.id}/reactions`, { emoji: "tada", add: true });
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const row = rowOf(list, last);
  const reaction = row.locator("button[aria-pressed]").first();
  await expect(reaction).toBeInViewport();
  await expect(list.locator("pre").first()).toBeVisible();
  const top = await topOf(row);
  await reaction.evaluate((button: HTMLElement) => {
    // No scroll event arrives before the reaction is shown.
    addEventListener("scroll", (event) => event.stopImmediatePropagation(), { capture: true });
    const log = button.closest("[role=log]");
    if (log) log.scrollTop -= 150;
    button.click();
  });
  await expect(reaction).toHaveAttribute("aria-pressed", "true");
  expect(Math.abs((await topOf(row)) - top - 150)).toBeLessThanOrEqual(PLACE_PX);
});

test("a channel opened at new messages that reach its end stays there as they get reactions", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Growing Room", ["alice", "bob"]);
  for (let count = 0; count < 20; count++) await say(room, "bob", `Said before ${count}`);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`, {});
  const { id } = await say(room, "bob", "Said since");
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 1280, height: 500 } });
  const list = timeline(alice, room.title);
  await expect(list.getByText(strings.timeline.newMessages)).toBeVisible();
  await expectAtRest(messageRow(list, "Said since"));
  const below = () =>
    list.evaluate(({ scrollHeight, clientHeight, scrollTop }) => scrollHeight - clientHeight - scrollTop);
  await expect.poll(below).toBeLessThan(1);
  const reaction = { emoji: "heart", add: true };
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/posts/${id}/reactions`, reaction);
  await expect(messageRow(list, "Said since").locator("button[aria-pressed]")).toBeVisible();
  await expect.poll(below).toBeLessThan(1);
  await say(room, "bob", "Said after the reaction");
  await expect(list.getByText("Said after the reaction")).toBeInViewport();
});
