import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  chooseOnMessage,
  composer,
  finderBox,
  messageRow,
  replyBox,
  sidebar,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("opening or joining a channel focuses its composer", async ({ openAs, url }) => {
  const room = await createRoom(url, "Cursor Room", ["alice"]);
  const next = await createRoom(url, "Next Cursor Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await expect(composer(alice, room.title)).toBeFocused();
  await alice.keyboard.press("Control+k");
  await finderBox(alice).fill(next.title);
  await alice.keyboard.press("Enter");
  await expect(composer(alice, next.title)).toBeFocused();

  const erin = await openAs("erin", `/chat/${room.id}`);
  await erin.getByRole("button", { name: strings.channel.join }).press("Enter");
  await expect(composer(erin, room.title)).toBeFocused();
});

test("opening a channel focuses its composer on a device without a pointer", async ({
  browser,
  launchOptions,
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Keys Room", ["alice"]);
  const storageState = await (await openAs("alice", null)).context().storageState();
  const none =
    "--blink-settings=primaryPointerType=1,availablePointerTypes=1,primaryHoverType=1,availableHoverTypes=1";
  const args = [...(launchOptions.args ?? []), none];
  const pointless = await browser.browserType().launch({ ...launchOptions, args });
  const alice = await (await pointless.newContext({ baseURL: url, storageState })).newPage();
  await alice.goto(`/chat/${room.id}`);
  await expect(composer(alice, room.title)).toBeFocused();
  expect(await alice.evaluate(() => matchMedia("(pointer: none)").matches)).toBe(true);
  await pointless.close();
});

test("opening a channel on a touch screen does not focus its composer", async ({ openAs, url }) => {
  const room = await createRoom(url, "Thumb Room", ["alice"]);
  const viewport = { width: 360, height: 740 };
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport, hasTouch: true, isMobile: true });
  await waitForChannel(alice, room.title);
  await expect(
    timeline(alice, room.title).getByText(strings.timeline.start.heading.O(room.title)),
  ).toBeVisible();
  await expect(composer(alice, room.title)).not.toBeFocused();
});

test("a menu that is just opening stays open when the focus is lost, and the composer does not take the focus", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Menu Room", ["alice"]);
  const root = await say(room, "alice", "Something to answer");
  const alice = await openAs("alice", `/chat/${room.id}?thread=${root.id}`);
  await expect(replyBox(alice)).toBeVisible();
  await alice.getByRole("button", { name: strings.account.menu("alice") }).click();
  const item = alice.getByRole("menuitem", { name: strings.account.signOut });
  await expect(item).toBeVisible();
  await alice.evaluate(() => {
    (document.activeElement as HTMLElement).blur();
    history.replaceState(null, "", location.pathname);
  });
  await expect(replyBox(alice)).toBeHidden();
  await expect(composer(alice, room.title)).not.toBeFocused();
  await expect(item).toBeVisible();
});

test("closing a thread returns the focus to the element that opened it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Return Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Shall we?");
  await say(room, "alice", "Yes", root.id);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const replies = timeline(alice, room.title).getByRole("button", { name: strings.message.replies(1) });
  await replies.press("Enter");
  await expect(replyBox(alice)).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(replyBox(alice)).toBeHidden();
  await expect(replies).toBeFocused();
});

test("deleting a message focuses the undo button, then the composer", async ({ openAs, url }) => {
  const room = await createRoom(url, "Regret Room", ["alice"]);
  await say(room, "alice", "Too hasty");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Too hasty");
  const undo = timeline(alice, room.title).getByRole("button", { name: strings.message.undo });
  const remove = async () => {
    await row.getByRole("link").first().focus();
    await row.getByRole("button", { name: strings.message.more }).press("Enter");
    await alice.getByRole("menuitem", { name: strings.message.remove }).press("Enter");
    await alice.getByRole("button", { name: strings.message.remove, exact: true }).press("Enter");
    await expect(undo).toBeFocused();
  };
  await remove();
  await undo.press("Enter");
  await expect(composer(alice, room.title)).toBeFocused();
  await remove();
  await expect(undo).toBeHidden();
  await expect(composer(alice, room.title)).toBeFocused();
});

test("dismissing a confirmation returns the focus to the menu that opened it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Doubt Room", ["alice", "bob"], "P");
  await say(room, "alice", "Keep me after all");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Keep me after all");
  await row.getByRole("link").first().focus();
  const more = row.getByRole("button", { name: strings.message.more });
  await more.press("Enter");
  await alice.getByRole("menuitem", { name: strings.message.remove }).press("Enter");
  await expect(alice.getByRole("dialog", { name: strings.message.removeTitle })).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await expect(more).toBeVisible();

  const menu = alice
    .getByRole("main")
    .getByRole("button", { name: `${strings.channel.menu}: ${room.title}` });
  await menu.press("Enter");
  await alice.getByRole("menuitem", { name: strings.channel.leave }).press("Enter");
  await expect(alice.getByRole("dialog", { name: strings.channel.leaveTitle(room.title) })).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(menu).toBeFocused();
});

test("focus that was moved elsewhere stays there when a closing dialog would return it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Quick Hand Room", ["alice"]);
  await say(room, "alice", "Stays as it is");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await chooseOnMessage(
    alice,
    messageRow(timeline(alice, room.title), "Stays as it is"),
    strings.message.remove,
  );
  await expect(alice.getByRole("dialog", { name: strings.message.removeTitle })).toBeVisible();
  await alice.evaluate(async () => {
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    // The dialog closes in this task, and returns the focus in the next.
    for (let turn = 0; turn < 10; turn += 1) await null;
    document.querySelector("textarea")?.focus();
    await new Promise((resolve) => setTimeout(resolve));
  });
  await expect(alice.getByRole("dialog")).toHaveCount(0);
  await expect(composer(alice, room.title)).toBeFocused();
});

test("the open channel is scrolled into view in a list longer than the screen", async ({ openAs, url }) => {
  const rooms = [];
  for (let index = 10; index < 34; index++) rooms.push(await createRoom(url, `Row ${index}`, ["dave"]));
  const last = rooms.at(-1)?.title ?? "";
  const dave = await openAs("dave", `/chat/${rooms.at(-1)?.id}`, { viewport: { width: 1280, height: 500 } });
  await expect(channelLink(dave, last)).toBeInViewport({ ratio: 1 });
  await sidebar(dave).evaluate((list) => list.scrollTo(0, 0));
  await expect(channelLink(dave, last)).not.toBeInViewport();
  await dave.keyboard.press("Alt+ArrowUp");
  await expect(channelLink(dave, rooms.at(-2)?.title ?? "")).toBeInViewport({ ratio: 1 });
});
