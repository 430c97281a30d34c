import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as wire } from "../../app/(demo)/_wire/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  channelLink,
  composer,
  messageRow,
  replyBox,
  sidebar,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const tablet = { width: 820, height: 740 };
const phone = { viewport: { width: 360, height: 740 } };

/**
 * Presses Tab more often than the panel has stops, in both directions, and expects that the focus never
 * leaves it.
 */
async function expectTabHeld(page: Page, panel: Locator) {
  const isInside = () => panel.evaluate((element) => element.contains(document.activeElement));
  for (const key of ["Tab", "Shift+Tab"]) {
    const stops = new Set<string>();
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.press(key);
      expect(await isInside(), `after ${press + 1} × ${key}`).toBe(true);
      stops.add(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 300) ?? ""));
    }
    expect(stops.size).toBeGreaterThan(1);
  }
}

test("on a phone the search traps the Tab key like a dialog, and Escape and the back button close it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Phone Search Room", ["alice", "bob"]);
  await say(room, "bob", `Needles and pins ${room.name}`);
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  await waitForChannel(alice, room.title);
  const search = alice.getByRole("dialog", { name: strings.search.title });
  const opener = alice.getByRole("button", { name: strings.channel.search });
  await opener.press("Enter");
  const field = search.getByRole("searchbox", { name: strings.search.label });
  await expect(field).toBeFocused();
  await expectTabHeld(alice, search);
  await alice.keyboard.press("Escape");
  await expect(search).toBeHidden();
  await expect(opener).toBeFocused();

  await opener.press("Enter");
  await expect(field).toBeFocused();
  await alice.goBack();
  await expect(search).toBeHidden();
  await expect(opener).toBeFocused();
  await expect(alice).toHaveURL(`/chat/${room.id}`);

  await opener.press("Enter");
  await field.fill(room.name);
  await search.getByRole("link").press("Enter");
  await expect(alice).toHaveURL(/\?post=/);
  await expect(search).toBeHidden();
  await expect(messageRow(timeline(alice, room.title), room.name)).toBeVisible();
  await alice.goBack();
  await expect(alice).toHaveURL(`/chat/${room.id}`);
});

test("covering panels trap the Tab key and close with the back button, on a phone and on a tablet", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Phone Panel Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).focus();
  await alice.keyboard.press("Alt+Shift+L");
  const inspector = alice.getByRole("dialog", { name: wire.title });
  await expect(inspector).toBeFocused();
  await expectTabHeld(alice, inspector);
  await alice.goBack();
  await expect(inspector).toBeHidden();
  await expect(composer(alice, room.title)).toBeFocused();

  await timeline(alice, room.title)
    .getByRole("button", { name: strings.message.replies(1) })
    .press("Enter");
  const thread = alice.getByRole("dialog", { name: strings.thread.title });
  await expect(thread.getByRole("combobox")).toBeFocused();
  await expectTabHeld(alice, thread);
  await alice.setViewportSize(tablet);
  await expectTabHeld(alice, thread);
  await alice.goBack();
  await expect(thread).toBeHidden();

  await alice.getByRole("button", { name: strings.channel.search }).press("Enter");
  const search = alice.getByRole("dialog", { name: strings.search.title });
  await expect(search.getByRole("searchbox")).toBeFocused();
  await expectTabHeld(alice, search);
  await alice.goBack();
  await expect(search).toBeHidden();
  await expect(alice).toHaveURL(`/chat/${room.id}`);
});

test("a panel that covers the page returns a focus that the page lost before the panel took it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Late Timer Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`, phone);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).focus();
  await alice.evaluate(() => {
    const { setTimeout } = window;
    Object.assign(window, {
      setTimeout: (handler: () => void, ms = 0) => setTimeout(handler, ms + 200),
    });
  });
  await alice.keyboard.press("Alt+Shift+L");
  const inspector = alice.getByRole("dialog", { name: wire.title });
  await expect(inspector).toBeFocused();
  await alice.goBack();
  await expect(inspector).toBeHidden();
  await expect(composer(alice, room.title)).toBeFocused();
});

test("on a tablet the first press outside an open panel only closes the panel", async ({ openAs, url }) => {
  const room = await createRoom(url, "Shaded Room", ["alice", "bob"]);
  const other = await createRoom(url, "Shaded Other Room", ["alice"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: tablet });
  await waitForChannel(alice, room.title);
  const replies = timeline(alice, room.title).getByRole("button", { name: strings.message.replies(1) });
  const panels: ReadonlyArray<readonly [title: string, open: () => Promise<void>]> = [
    [strings.search.title, () => alice.getByRole("button", { name: strings.channel.search }).click()],
    [strings.thread.title, () => replies.click()],
  ];
  for (const [title, open] of panels) {
    await open();
    const panel = alice.getByRole("dialog", { name: title, exact: true });
    await expect(panel).toBeVisible();
    // The list may be taller than the window.
    await channelLink(alice, other.title).scrollIntoViewIfNeeded();
    const link = await boxOf(channelLink(alice, other.title));
    await alice.mouse.click(link.x + link.width / 2, link.y + link.height / 2);
    await expect(panel).toBeHidden();
    await expect(alice).not.toHaveURL(new RegExp(other.id));
  }
  await channelLink(alice, other.title).click();
  await waitForChannel(alice, other.title);
});

test("the search next to a conversation is part of the page, and Shift+Tab leaves it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Wide Search Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: strings.channel.search }).press("Enter");
  const search = alice.getByRole("complementary", { name: strings.search.title });
  await expect(search.getByRole("searchbox")).toBeFocused();
  await alice.keyboard.press("Shift+Tab");
  await alice.keyboard.press("Shift+Tab");
  expect(await search.evaluate((element) => element.contains(document.activeElement))).toBe(false);
});

test("opening and closing a thread keeps the latest message in view, and the button to it hidden", async ({
  openAs,
}) => {
  const alice = await openAs("alice", "/chat");
  // The panel appears in its place without a transition.
  await alice.emulateMedia({ reducedMotion: "reduce" });
  await channelLink(alice, "Photography").click();
  const list = timeline(alice, "Photography");
  const replies = list.getByRole("button", { name: strings.message.replies(3) });
  const jump = alice.getByRole("button", { name: strings.timeline.jumpToLatest });
  const isOut = () => list.evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop > 24);
  const expectToTell = async () => {
    for (let frame = 0; frame < 10; frame += 1)
      await alice.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    await expect.poll(async () => (await jump.isVisible()) === (await isOut())).toBe(true);
    // The latest message was in view at first, and stays in view.
    await expect.poll(isOut).toBe(false);
  };
  await expect(replies).toBeVisible();
  await expectToTell();
  for (let turn = 0; turn < 2; turn += 1) {
    await replies.click();
    await expect(replyBox(alice)).toBeFocused();
    await expectToTell();
    await alice.keyboard.press("Escape");
    await expect(replyBox(alice)).toBeHidden();
    await expectToTell();
  }
});

test("a list at its newest message stays there when a panel or the draft takes some of its space", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Narrowed Room", ["alice", "bob"]);
  const long = "of many words ".repeat(14);
  for (let line = 1; line <= 12; line++) await say(room, "bob", `Read ${line} ${long}`);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  for (let line = 1; line <= 4; line++) await say(room, "bob", `Unread ${line} ${long}`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  // The panel appears in its place without a transition.
  await alice.emulateMedia({ reducedMotion: "reduce" });
  await waitForChannel(alice, room.title);
  const last = messageRow(timeline(alice, room.title), "Unread 4");
  await expect(timeline(alice, room.title).getByText(strings.timeline.newMessages)).toBeInViewport();
  await expect(last).toBeInViewport({ ratio: 1 });
  await alice.getByRole("button", { name: strings.channel.search }).click();
  await expect(alice.getByRole("complementary", { name: strings.search.title })).toBeVisible();
  await expect(last).toBeInViewport({ ratio: 1 });
  await composer(alice, room.title).focus();
  for (let line = 0; line < 4; line++) await alice.keyboard.press("Shift+Enter");
  await expect(last).toBeInViewport({ ratio: 1 });
  await expect(alice.getByRole("button", { name: strings.timeline.jumpToLatest })).toBeHidden();
});

test("between 1,024 and 1,279 px a panel leaves the list complete and the last message in view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Middling Room", ["alice", "bob"]);
  for (let line = 1; line <= 12; line++)
    await say(room, "bob", `Line ${line} ${"of many words ".repeat(12)}`);
  const root = await say(room, "alice", "The last of all");
  await say(room, "bob", "Answered", root.id);
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/posts/${root.id}/pin`, { pin: true });
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 1024, height: 800 } });
  await waitForChannel(alice, room.title);
  const last = messageRow(timeline(alice, room.title), "The last of all");
  await expect(last).toBeInViewport({ ratio: 1 });
  const press = (name: string | RegExp) => () => alice.getByRole("button", { name, exact: true }).click();
  const panels: ReadonlyArray<readonly [title: string, open: () => Promise<void>]> = [
    [strings.members.title, press(strings.members.title)],
    [strings.pinned.title, press(strings.pinned.count(1))],
    [strings.search.title, press(strings.channel.search)],
    [wire.title, () => alice.keyboard.press("Alt+Shift+L")],
    [strings.thread.title, () => last.getByRole("button", { name: strings.message.replies(1) }).click()],
  ];
  for (const width of [1024, 1279]) {
    await alice.setViewportSize({ width, height: 800 });
    await expect(last).toBeInViewport({ ratio: 1 });
    const before = await boxOf(sidebar(alice));
    for (const [title, open] of panels) {
      await open();
      const panel = alice.getByRole("complementary", { name: title, exact: true });
      await expect(panel).toBeVisible();
      const where = `${title}, ${width} px`;
      await expect(last, where).toBeInViewport({ ratio: 1 });
      expect(await boxOf(sidebar(alice)), where).toEqual(before);
      const [list, beside] = [await boxOf(timeline(alice, room.title)), await boxOf(panel)];
      expect(list.x, where).toBeGreaterThanOrEqual(before.right);
      expect(list.right, where).toBeLessThanOrEqual(beside.x + 1);
      expect(beside.right, where).toBeLessThanOrEqual(width);
      expect(list.width, where).toBeGreaterThan(340);
      await panel.getByRole("button", { name: /close/i }).first().click();
      await expect(panel).toBeHidden();
      await expect(last, `${where}, closed`).toBeInViewport({ ratio: 1 });
    }
  }
});

test("a panel scrolls its own content, so that the page can't be scrolled out of view", async ({
  openAs,
  url,
}) => {
  const people = ["alice", "bob", "carol", "dave", "erin"];
  const room = await createRoom(url, "Walled Room", people);
  for (const name of people) {
    const root = await say(room, name, `${room.name} as seen by ${name}`);
    await room.people.get(name)?.chat("POST", `/channels/${room.id}/posts/${root.id}/pin`, { pin: true });
    await say(room, "alice", "Well seen", root.id);
  }
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 1280, height: 360 } });
  await waitForChannel(alice, room.title);
  const expectWalled = async (panel: Locator) => {
    await panel.evaluate((element) => {
      for (const part of element.querySelectorAll("*")) part.scrollIntoView({ block: "start" });
    });
    expect((await boxOf(alice.getByRole("banner"))).y).toBe(0);
  };
  await expectWalled(sidebar(alice));
  await alice.keyboard.press("Alt+Shift+L");
  const inspector = alice.getByRole("complementary", { name: wire.title });
  await expect(inspector.getByRole("button", { name: /received hello/ })).toBeAttached();
  await expectWalled(inspector);
  await alice.getByRole("button", { name: strings.members.title, exact: true }).click();
  const members = alice.getByRole("list", { name: strings.members.title });
  await expect(members.getByRole("listitem")).toHaveCount(people.length);
  await expectWalled(members);
  await alice.getByRole("button", { name: strings.pinned.count(people.length) }).click();
  const pinned = alice.getByRole("list", { name: strings.pinned.title });
  await expect(pinned.getByText("as seen by erin")).toBeAttached();
  await expectWalled(pinned);
  await alice.keyboard.press("Control+Shift+F");
  await alice.getByRole("searchbox", { name: strings.search.label }).fill(room.name);
  const found = alice.getByRole("list", { name: strings.search.title });
  await expect(found.getByText("as seen by erin")).toBeAttached();
  await expectWalled(found);
});

test("Esc in the composer closes the panel next to it, and keeps the focus", async ({ openAs, url }) => {
  const room = await createRoom(url, "Esc Panel Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 1280, height: 800 } });
  await waitForChannel(alice, room.title);
  for (const name of [strings.search.title, strings.members.title]) {
    if (name === strings.search.title) await alice.keyboard.press("Control+Shift+F");
    else await alice.getByRole("button", { name: strings.members.title, exact: true }).click();
    const panel = alice.getByRole("complementary", { name });
    await expect(panel).toBeVisible();
    await composer(alice, room.title).click();
    await composer(alice, room.title).press("Escape");
    await expect(panel).toBeHidden();
    await expect(composer(alice, room.title)).toBeFocused();
  }
});
