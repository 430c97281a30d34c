import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as wire } from "../../app/(demo)/_wire/strings.en.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { boxOf } from "./support/box-of.ts";
import {
  composer,
  finderBox,
  messageRow,
  replyBox,
  threadPanel,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { fill, line } from "./support/mixed-messages.ts";
import { expect, test } from "./support/test.ts";

test("a thread names its author and channel, and keeps its root message in view, folded", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pinned Room", ["alice", "bob"]);
  const verses = Array.from({ length: 12 }, (_, verse) => `Verse ${verse + 1}.`);
  const root = await say(room, "bob", verses.join("\n"));
  for (let reply = 1; reply <= 30; reply += 1) await say(room, "alice", `Reply ${reply}.`, root.id);
  const alice = await openAs("alice", `/chat/${room.id}?thread=${root.id}`);
  const panel = threadPanel(alice);
  await expect(panel.getByText(`bob in ${room.title}`)).toBeVisible();
  await expect(messageRow(panel, "Reply 30.")).toBeInViewport();
  const pinned = messageRow(panel, "Verse 1.");
  await expect(pinned).toBeInViewport();
  await expect(pinned).not.toContainText("Verse 12.");
  await pinned.getByRole("button", { name: strings.message.showMore }).click();
  await expect(pinned).toContainText("Verse 12.");
  await expect(messageRow(panel, "Reply 30.")).toBeInViewport();
  await pinned.getByRole("button", { name: strings.message.showLess }).click();
  await expect(pinned).not.toContainText("Verse 12.");
});

test("on a phone in landscape a thread's root is cut between two lines and leaves replies in view", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Low Room", ["alice", "bob"]);
  const root = await say(room, "bob", Array.from({ length: 12 }, (_, at) => `Line ${at + 1}.`).join("\n"));
  for (const text of ["First reply", "So it is", "Indeed"]) await say(room, "alice", text, root.id);
  const alice = await openAs("alice", null, { viewport: { width: 740, height: 360 } });
  for (const density of ["roomy", "compact"]) {
    await alice.addInitScript((chosen) => localStorage.setItem("hivegate.density", chosen), density);
    await alice.goto(`/chat/${room.id}?thread=${root.id}`);
    const panel = threadPanel(alice);
    await expect(messageRow(panel, "So it is")).toBeInViewport({ ratio: 1 });
    await expect(messageRow(panel, "Line 1.")).toBeInViewport();
    const cut = await messageRow(panel, "Line 1.").evaluate((row) => {
      const pinned = row.parentElement as HTMLElement;
      const end = pinned.getBoundingClientRect().bottom;
      const walker = document.createTreeWalker(pinned, NodeFilter.SHOW_TEXT);
      const lines: string[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const { top, bottom } of range.getClientRects())
          if (top < end - 1 && bottom > end + 1) lines.push(node.textContent ?? "");
      }
      return lines;
    });
    expect(cut, density).toEqual([]);
  }
});

test("the replies of a short thread follow right below its root", async ({ openAs, url }) => {
  const room = await createRoom(url, "Short Thread Room", ["alice", "bob"]);
  const root = await say(room, "bob", "A short question");
  await say(room, "alice", "A short answer", root.id);
  const alice = await openAs("alice", `/chat/${room.id}?thread=${root.id}`);
  const panel = threadPanel(alice);
  await expect(messageRow(panel, "A short answer")).toBeVisible();
  const question = await boxOf(messageRow(panel, "A short question"));
  const answer = await boxOf(messageRow(panel, "A short answer"));
  expect(answer.y - question.bottom).toBeGreaterThanOrEqual(0);
  expect(answer.y - question.bottom).toBeLessThan(120);
});

test("the line of a message's replies shows who replied, and the time of the last reply", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Faces Room", ["alice", "bob", "carol"]);
  const root = await say(room, "bob", "Who is in?");
  await say(room, "carol", "I am", root.id);
  const last = await say(room, "alice", "Me too", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const chip = messageRow(timeline(alice, room.title), "Who is in?").getByRole("button", {
    name: strings.message.replies(2),
  });
  await expect(chip.locator("svg[viewBox='0 0 128 128']")).toHaveCount(2);
  const time = await alice.evaluate(
    (at) => new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }).format(at),
    last.create_at,
  );
  await expect(chip).toContainText(strings.message.lastReply(time));
});

test("below a shortened message its replies have a separate line", async ({ openAs, url }) => {
  const room = await createRoom(url, "Long Root Room", ["alice", "bob"]);
  const root = await say(room, "bob", Array.from({ length: 40 }, (_, verse) => `Verse ${verse}`).join("\n"));
  await say(room, "alice", "Read", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Verse 1");
  const more = row.getByRole("button", { name: strings.message.showMore });
  const chip = row.getByRole("button", { name: strings.message.replies(1) });
  await expect(chip).toBeVisible();
  const [above, below] = [await boxOf(more), await boxOf(chip)];
  expect(below.y).toBeGreaterThanOrEqual(above.bottom);
});

test("a linked message shows who replied and when even if its replies are far below, and keeps counting", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Far Room", ["alice", "bob", "carol", "dave"]);
  const root = await say(room, "bob", "Who is in, after all?");
  await fill(room, 0, 260);
  for (const name of ["carol", "bob"]) await say(room, name, "I am", root.id);
  const last = await say(room, "alice", "Me too", root.id);
  const alice = await openAs("alice", `/chat/${room.id}?post=${root.id}`);
  const row = messageRow(timeline(alice, room.title), "Who is in, after all?");
  const chip = row.getByRole("button", { name: strings.message.replies(3) });
  await expect(chip.locator("svg[viewBox='0 0 128 128']")).toHaveCount(3);
  const clock = (at: number) =>
    alice.evaluate(
      (time) => new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }).format(time),
      at,
    );
  await expect(chip).toContainText(strings.message.lastReply(await clock(last.create_at)));
  await say(room, "dave", "And me", root.id);
  await expect(row.getByRole("button", { name: strings.message.replies(4) })).toBeVisible();
});

test("on a touch screen opening a thread or the finder, or adding an emoji or a picture, focuses no field", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Quiet Thumb Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  const viewport = { width: 390, height: 800 };
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport, hasTouch: true, isMobile: true });
  await timeline(alice, room.title)
    .getByRole("button", { name: strings.message.replies(1) })
    .click();
  await expect(messageRow(threadPanel(alice), "Yes")).toBeVisible();
  await expect(replyBox(alice)).toBeVisible();
  await expect(replyBox(alice)).not.toBeFocused();
  const thread = threadPanel(alice);
  await thread.getByRole("button", { name: strings.composer.emoji, exact: true }).tap();
  const emoji = alice.getByRole("gridcell").first();
  await emoji.tap();
  await expect(emoji).toHaveCount(0);
  await expect(replyBox(alice)).not.toHaveValue("");
  await expect(replyBox(alice)).not.toBeFocused();
  await thread
    .locator("input[type=file]")
    .setInputFiles({ name: "thumb.png", mimeType: "image/png", buffer: pngOf("thumb") });
  await expect(thread.getByRole("img", { name: "thumb" })).toBeVisible();
  await expect(replyBox(alice)).not.toBeFocused();
  await alice.goto("/chat");
  await alice.getByRole("button", { name: strings.sidebar.browse }).first().tap();
  const finder = alice.getByRole("dialog", { name: strings.finder.title });
  await expect(finder.getByRole("option").first()).toBeVisible();
  await expect(finderBox(alice)).not.toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(finder).toHaveCount(0);
  await alice.keyboard.press("Control+k");
  await expect(finderBox(alice)).toBeFocused();
});

test("below 1,024 px thread and search cover the messages without narrowing them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Narrow Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 900, height: 700 } });
  await waitForChannel(alice, room.title);
  const widthOf = async () => (await boxOf(timeline(alice, room.title))).width;
  const before = await widthOf();
  await alice.keyboard.press("Control+Shift+F");
  await expect(alice.getByRole("searchbox", { name: strings.search.label })).toBeVisible();
  expect(await widthOf()).toBe(before);
  await alice.keyboard.press("Escape");
  await timeline(alice, room.title)
    .getByRole("button", { name: strings.message.replies(1) })
    .press("Enter");
  await expect(replyBox(alice)).toBeVisible();
  expect(await widthOf()).toBe(before);
});

test("the inbox closes for the thread that it opens, and returns when the thread closes", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Narrow Inbox Room", ["alice", "bob"]);
  const root = await say(room, "alice", "Shall we meet?");
  await say(room, "bob", "Yes", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 820, height: 700 } });
  await waitForChannel(alice, room.title);
  const widthOf = async () => (await boxOf(timeline(alice, room.title))).width;
  const before = await widthOf();
  const openInbox = () =>
    alice.getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) }).click();
  await openInbox();
  const entry = alice
    .getByRole("list", { name: strings.threads.title })
    .getByRole("link", { name: "Shall we meet?" });
  await expect(entry).toBeVisible();
  expect(await widthOf()).toBe(before);
  await entry.click();
  await expect(entry).toBeHidden();
  await replyBox(alice).click();
  await expect(replyBox(alice)).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(replyBox(alice)).toBeHidden();
  // Closing the thread returns to the inbox from which it was opened.
  await expect(entry).toBeVisible();
  await alice.setViewportSize({ width: 1280, height: 700 });
  await entry.click();
  await expect(entry).toBeHidden();
  await replyBox(alice).click();
  await expect(replyBox(alice)).toBeFocused();
});

test("a panel opened next to a thread covers all of the thread and none of the messages", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Crowded Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/posts/${root.id}/pin`, { pin: true });
  const alice = await openAs("alice", `/chat/${room.id}?thread=${root.id}`);
  await expect(replyBox(alice)).toBeVisible();
  const press = (name: string | RegExp) => () => alice.getByRole("button", { name, exact: true }).click();
  const panels: ReadonlyArray<readonly [title: string, open: () => Promise<void>]> = [
    [strings.members.title, press(strings.members.title)],
    [strings.pinned.title, press(strings.pinned.count(1))],
    [strings.search.title, () => alice.keyboard.press("Control+Shift+F")],
    [strings.threads.title, press(new RegExp(`^${strings.threads.title}\\b`))],
    [wire.title, () => alice.keyboard.press("Alt+Shift+L")],
  ];
  for (const width of [1024, 1280, 1440]) {
    await alice.setViewportSize({ width, height: 800 });
    for (const [title, open] of panels) {
      const before = await boxOf(composer(alice, room.title));
      await open();
      const panel = alice.getByRole("complementary", { name: title, exact: true });
      await expect(panel).toBeVisible();
      const where = `${title}, ${width} px`;
      const over = await boxOf(panel);
      const thread = await boxOf(threadPanel(alice));
      const list = await boxOf(timeline(alice, room.title));
      expect(over.x, where).toBeLessThanOrEqual(thread.x);
      expect(over.x, where).toBeGreaterThanOrEqual(list.right);
      expect(over.right, where).toBe(width);
      expect(await boxOf(composer(alice, room.title)), where).toEqual(before);
      await panel.press("Escape");
      await expect(panel).toBeHidden();
    }
  }
});

test("the wheel scrolls the messages even while it is over an element that floats above them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Wheel Room", ["alice", "bob"]);
  // There is only one page of messages, because older ones that load would change the measured position.
  await fill(room, 0, 35);
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`, {});
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  await expect(line(log, 34)).toBeInViewport();
  // The key scrolls at once, while a wheel's scroll would continue for a while.
  await log.press("PageUp");
  await log.press("PageUp");
  const pill = alice.getByRole("button", { name: strings.timeline.jumpToLatest });
  await expect(pill).toBeVisible();
  await pill.hover();
  const placeOf = () => log.evaluate((element) => element.scrollTop);
  const before = await placeOf();
  await alice.mouse.wheel(0, -300);
  await expect.poll(placeOf).toBeLessThan(before - 100);
});
