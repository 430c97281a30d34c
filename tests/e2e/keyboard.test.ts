import { strings as help } from "../../app/(demo)/_chat/shell/help-strings.en.ts";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  composer,
  messageRow,
  replyBox,
  threadPanel,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { holdScripts } from "./support/hold-scripts.ts";
import { expect, test } from "./support/test.ts";

test("the question mark opens the list of keys, but is typed as text in the composer", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Help Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).fill("");
  await composer(alice, room.title).pressSequentially("why?");
  await expect(composer(alice, room.title)).toHaveValue("why?");
  await composer(alice, room.title).blur();
  await alice.keyboard.press("?");
  const dialog = alice.getByRole("dialog", { name: help.title });
  await expect(dialog).toBeVisible();
  for (const [keys] of help.rows) await expect(dialog.getByText(keys, { exact: true })).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});

test("Alt with the arrows moves through the list, and Shift skips to the next unread channel", async ({
  openAs,
  url,
}) => {
  const unread = await createRoom(url, "Unread Neighbour", ["alice", "erin"]);
  const erin = await openAs("erin", "/chat");
  await channelLink(erin, "Town Square").click();
  await waitForChannel(erin, "Town Square");
  const start = erin.url();
  await erin.keyboard.press("Alt+ArrowDown");
  await expect.poll(() => erin.url()).not.toBe(start);
  await erin.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => erin.url()).toBe(start);
  await say(unread, "alice", "Over here");
  await expect(channelLink(erin, unread.title)).toContainText(strings.sidebar.unread(1));
  // Other tests may have left unread channels in between.
  for (let from = start; !erin.url().includes(unread.id); from = erin.url()) {
    await erin.keyboard.press("Alt+Shift+ArrowDown");
    await expect.poll(() => erin.url()).not.toBe(from);
  }
  await expect(timeline(erin, unread.title).getByText("Over here")).toBeVisible();
});

test("Ctrl K opens the finder, and Escape returns the focus to the composer", async ({ openAs, url }) => {
  const room = await createRoom(url, "Focus Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).focus();
  await alice.keyboard.press("Control+k");
  await expect(alice.getByRole("dialog", { name: strings.finder.title })).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(alice.getByRole("dialog", { name: strings.finder.title })).toBeHidden();
  await expect(composer(alice, room.title)).toBeFocused();
});

test("Esc cancels editing a message", async ({ openAs, url }) => {
  const room = await createRoom(url, "Escape Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await write(alice, room.title, "As it was");
  await expect(timeline(alice, room.title).getByText("As it was")).toBeVisible();
  await composer(alice, room.title).press("ArrowUp");
  const box = alice.getByRole("textbox", { name: strings.message.edit });
  await box.fill("As it never was");
  await box.press("Escape");
  await expect(box).toBeHidden();
  await expect(timeline(alice, room.title).getByText("As it was")).toBeVisible();
});

test("ArrowUp edits the user's last message, even before the server confirms it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Hasty Room", ["alice"]);
  await say(room, "alice", "The one before");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await alice.route(`**/channels/${room.id}/posts`, async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await write(alice, room.title, "Sent in haste");
  await expect(timeline(alice, room.title).getByText(strings.message.sending)).toBeVisible();
  await composer(alice, room.title).press("ArrowUp");
  release();
  const box = alice.getByRole("textbox", { name: strings.message.edit });
  await expect(box).toHaveValue("Sent in haste");
  await expect(box).toBeFocused();
});

test("screen readers announce new messages of others, but not the user's own", async ({ openAs, url }) => {
  const room = await createRoom(url, "Spoken Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const spoken = alice.locator("[aria-live=polite]");
  await say(room, "bob", "Read me aloud");
  await expect(spoken.filter({ hasText: strings.timeline.from("bob", "Read me aloud") })).toBeAttached();
  await write(alice, room.title, "I know what I said");
  await expect(timeline(alice, room.title).getByText("I know what I said")).toBeVisible();
  await expect(spoken.filter({ hasText: "I know what I said" })).toHaveCount(0);
});

test("text typed in the timeline goes to its composer, in a thread to the reply box, and in the search to neither", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Anywhere Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Over to you");
  await say(room, "bob", "and on", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await timeline(alice, room.title).focus();
  await alice.keyboard.type("Hello there");
  await expect(composer(alice, room.title)).toHaveValue("Hello there");
  await timeline(alice, room.title)
    .getByRole("button", { name: strings.message.replies(1) })
    .click();
  await threadPanel(alice).getByRole("log").focus();
  await alice.keyboard.type("In here");
  await expect(replyBox(alice)).toHaveValue("In here");
  await expect(composer(alice, room.title)).toHaveValue("Hello there");

  await alice.getByRole("button", { name: strings.channel.search }).click();
  const search = alice.getByRole("complementary", { name: strings.search.title });
  await search.getByRole("button").first().focus();
  await alice.keyboard.type("x");
  await expect(composer(alice, room.title)).toHaveValue("Hello there");
  await expect(replyBox(alice)).toHaveValue("In here");
});

test("Ctrl B and Ctrl I mark the selection, and Shift ArrowUp replies to the newest message", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Marking Room", ["alice", "bob"]);
  await say(room, "bob", "The newest of all");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.pressSequentially("very");
  await box.press("Control+a");
  await box.press("Control+b");
  await expect(box).toHaveValue("**very**");
  await box.press("Control+i");
  await expect(box).toHaveValue("**_very_**");
  await box.press("Enter");
  const row = messageRow(timeline(alice, room.title), "very");
  await expect(row.locator("strong em")).toHaveText("very");
  await say(room, "bob", "Newer still");
  await expect(messageRow(timeline(alice, room.title), "Newer still")).toBeVisible();
  await box.press("Shift+ArrowUp");
  await expect(messageRow(threadPanel(alice), "Newer still")).toBeVisible();
  await expect(replyBox(alice)).toBeFocused();
});

test("a menu opened by key before its script has loaded opens at its first item, and returns the focus", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Menu Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const release = await holdScripts(alice);
  const button = alice.getByRole("button", { name: strings.account.menu("alice") });
  await button.press("Enter");
  await expect(button).toHaveAttribute("aria-expanded", "true");
  release();
  const items = alice.getByRole("menuitem");
  await expect(items.first()).toBeFocused();
  await alice.keyboard.press("ArrowDown");
  await expect(items.nth(1)).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(button).toBeFocused();
  await expect(button).toHaveAttribute("aria-expanded", "false");
});
