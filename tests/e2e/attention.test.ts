import { strings as help } from "../../app/(demo)/_chat/shell/help-strings.en.ts";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { createApiPerson } from "./support/api-person.ts";
import {
  channelLink,
  composer,
  messageRow,
  sidebar,
  threadPanel,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";
import { watchNotifications } from "./support/watch-notifications.ts";

test("unread channels, including favourites, stay in one group at the top while they are read", async ({
  openAs,
  url,
}) => {
  const plain = await createRoom(url, "Plain Room", ["alice", "erin"]);
  const liked = await createRoom(url, "Liked Room", ["alice", "erin"]);
  const open = await createRoom(url, "Harbour Room", ["alice", "erin"]);
  await liked.people.get("erin")?.chat("POST", `/channels/${liked.id}/favorite`, { favorite: true });
  const erin = await openAs("erin", `/chat/${open.id}`);
  await waitForChannel(erin, open.title);
  const unread = sidebar(erin).getByRole("region", { name: strings.sidebar.sections.unread });
  await say(plain, "alice", "Something");
  await say(liked, "alice", "@erin something for you");
  await expect(unread.getByRole("link", { name: plain.title })).toBeVisible();
  await expect(unread.getByRole("link").first()).toContainText(liked.title);
  await unread.getByRole("link", { name: plain.title }).click();
  await waitForChannel(erin, plain.title);
  await expect(channelLink(erin, plain.title)).not.toContainText(strings.sidebar.unread(1));
  await expect(unread.getByRole("link", { name: plain.title })).toBeVisible();
  await channelLink(erin, open.title).click();
  await expect(unread.getByRole("link", { name: plain.title })).toBeHidden();
});

test("the list counts unread rows beyond its edges, and a press scrolls to them", async ({ openAs, url }) => {
  const read = await createRoom(url, "Zz Reading Room", ["alice", "dave"]);
  const rooms = [];
  for (let made = 0; made < 14; made++) rooms.push(await createRoom(url, "Pill Room", ["alice", "dave"]));
  const [mentioned, ...others] = rooms;
  if (!mentioned) throw new Error("no room");
  await read.people.get("dave")?.chat("POST", "/threads/view", {});
  const root = await say(read, "dave", "A question");
  const dave = await openAs("dave", `/chat/${read.id}`, { viewport: { width: 1280, height: 480 } });
  await waitForChannel(dave, read.title);
  await say(mentioned, "alice", "@dave this is for you");
  for (const room of others) await say(room, "alice", "News");
  const last = others.at(-1);
  if (!last) throw new Error("no room");
  await expect(channelLink(dave, last.title)).toContainText(strings.sidebar.unread(1));
  const above = dave.getByRole("button", { name: strings.sidebar.mentionsBeyond.above(1), exact: true });
  await sidebar(dave).evaluate((list) => list.scrollTo(0, 0));
  await expect(dave.getByRole("button", { name: / unread below$/ })).toBeVisible();
  await expect(above).toBeHidden();
  await sidebar(dave).evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await above.click();
  await expect(channelLink(dave, mentioned.title)).toBeInViewport();
  await expect(channelLink(dave, mentioned.title)).toBeFocused();
  await expect(above).toBeHidden();

  // The row of threads counts like the others, and comes after nearer rows.
  await say(read, "alice", "@dave and this", root.id);
  const threads = sidebar(dave).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
  await expect(threads).toContainText(strings.threads.unread(1));
  await sidebar(dave).evaluate((list) => list.scrollTo(0, list.scrollHeight));
  const both = dave.getByRole("button", { name: strings.sidebar.mentionsBeyond.above(2), exact: true });
  await both.click();
  await expect(channelLink(dave, mentioned.title)).toBeFocused();
  await threads.evaluate((row) => {
    const list = row.closest("nav");
    list?.scrollTo(0, row.getBoundingClientRect().bottom - list.getBoundingClientRect().top + list.scrollTop);
  });
  await expect(channelLink(dave, mentioned.title)).toBeInViewport();
  await above.click();
  await expect(threads).toBeFocused();
  await expect(threads).toBeInViewport();
  await expect(above).toBeHidden();

  // Without a mention both counters count unread rows; a mention below counts like one above.
  await read.people.get("dave")?.chat("POST", "/threads/view", {});
  await mentioned.people.get("dave")?.chat("POST", `/channels/${mentioned.id}/view`, {});
  await sidebar(dave).evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await dave.getByRole("button", { name: /^\d+ unread above$/ }).click();
  await expect(sidebar(dave).locator("li[data-unread] a:focus")).toBeInViewport();
  // Mentions are at the top, so one lies below only if there is little room.
  await say(last, "alice", "@dave and here");
  await dave.setViewportSize({ width: 1280, height: 280 });
  await sidebar(dave).evaluate((list) => list.scrollTo(0, 0));
  const below = dave.getByRole("button", { name: strings.sidebar.mentionsBeyond.below(1), exact: true });
  await below.click();
  await expect(channelLink(dave, last.title)).toBeFocused();
  await expect(below).toBeHidden();
});

test("the page's title names the open channel, and the list sorts numbered names by number", async ({
  openAs,
  url,
}) => {
  const tenth = await createRoom(url, "Titled Room 10", ["erin"]);
  const room = await createRoom(url, "Titled Room 2", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await expect(erin).toHaveTitle(new RegExp(`${room.title} · Hivegate chat$`));
  const inOrder = sidebar(erin).getByRole("link", { name: /^Titled Room (2|10) / });
  await expect(inOrder).toContainText([room.title, tenth.title]);
  // A wide window opens the first channel immediately.
  await erin.setViewportSize({ width: 390, height: 800 });
  await erin.goto("/chat");
  await expect(sidebar(erin)).toBeVisible();
  await expect(erin).toHaveTitle(/^(\(\d+\) )?Hivegate chat$/);
});

test("the page's title counts only mentions and direct messages", async ({ openAs, url }) => {
  const room = await createRoom(url, "Talkative Room", ["alice", "erin"]);
  const open = await createRoom(url, "Harbour Room", ["erin"]);
  const erin = await openAs("erin", `/chat/${open.id}`);
  await waitForChannel(erin, open.title);
  const titleWith = (count: number) => (count > 0 ? `(${count}) ` : "");
  const before = Number(/^\((\d+)\)/.exec(await erin.title())?.[1] ?? 0);
  for (const message of ["One", "Two", "Three"]) await say(room, "alice", message);
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(3));
  await expect(erin).toHaveTitle(`${titleWith(before)}${open.title} · Hivegate chat`);
  await say(room, "alice", "@erin four");
  await expect(erin).toHaveTitle(`${titleWith(before + 1)}${open.title} · Hivegate chat`);
  const alice = await createApiPerson(url, "alice");
  const { channelId } = await alice.chat("POST", "/direct", { username: "erin" });
  for (const message of ["Five", "Six"])
    await alice.chat("POST", `/channels/${channelId}/posts`, { message });
  await expect(erin).toHaveTitle(`${titleWith(before + 3)}${open.title} · Hivegate chat`);
});

test("people who join at about the same time share one line, and a message that is only emoji is large", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Arrival Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  for (const name of ["bob", "carol", "dave", "erin"])
    await (await createApiPerson(url, name)).chat("POST", `/channels/${room.id}/join`, {});
  const { attendance, list } = strings;
  const line = attendance.joined(list(["alice", "bob", attendance.others(3)]));
  const log = timeline(alice, room.title);
  await expect(log.getByText(line, { exact: true })).toBeVisible();
  await log.getByRole("button", { name: attendance.others(3), exact: true }).press("Enter");
  const unfolded = attendance.joined(list(["alice", "bob", "carol", "dave", "erin"]));
  await expect(log.getByText(unfolded, { exact: true })).toBeFocused();
  await say(room, "alice", "\u{1f389}\u{1f680}");
  await say(room, "alice", "and words");
  const sizeOf = (text: string) =>
    messageRow(timeline(alice, room.title), text)
      .getByText(text)
      .evaluate((words) => Number.parseFloat(getComputedStyle(words).fontSize));
  const [emoji, words] = [await sizeOf("\u{1f389}"), await sizeOf("and words")];
  expect(emoji / words).toBeGreaterThan(1.25);
});

test("a muted channel's name keeps the contrast required for small text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Faint Room", ["alice", "erin"]);
  await room.people.get("erin")?.chat("POST", `/channels/${room.id}/mute`, { mute: true });
  const erin = await openAs("erin", "/chat");
  const name = channelLink(erin, room.title).getByText(room.title);
  await expect(name).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await erin.emulateMedia({ colorScheme });
    await expect(channelLink(erin, room.title)).toHaveCSS("opacity", "1");
    await expect.poll(() => name.evaluate(contrastOf), colorScheme).toBeGreaterThanOrEqual(4.5);
  }
});

/** Returns the contrast between a text and its painted background, by WCAG's formula. Runs in the page. */
function contrastOf(text: Element): number {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("no canvas");
  const paint = (colour: string) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
  };
  const luminance = () => {
    const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind: string[] = [];
  for (let at: Element | null = text; at; at = at.parentElement)
    behind.unshift(getComputedStyle(at).backgroundColor);
  for (const colour of behind) paint(colour);
  const ground = luminance();
  paint(getComputedStyle(text).color);
  const ink = luminance();
  return (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
}

test("the help opens while a message is being written, and leaves the draft unchanged", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Helpful Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await composer(erin, room.title).fill("half a sentence");
  await erin.keyboard.press("Control+/");
  await expect(erin.getByRole("dialog", { name: help.title })).toBeVisible();
  await erin.keyboard.press("Escape");
  await expect(composer(erin, room.title)).toHaveValue("half a sentence");
});

test("a message in a conversation that is open in one tab notifies in no other tab, but a reply in a followed thread does", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Watched Room", ["alice", "erin"]);
  const other = await createRoom(url, "Answered Room", ["alice", "erin"]);
  const aside = await createRoom(url, "Aside Room", ["erin"]);
  // Mattermost caches the notification levels of a channel's members and learns a new member's level when it
  // is set.
  const level = { mute: false, notifyLevel: "default" };
  await other.people.get("erin")?.chat("POST", `/channels/${other.id}/mute`, level);
  const [own, foreign] = [
    await say(other, "erin", "Does anybody know?"),
    await say(other, "alice", "I wonder"),
  ];
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  const second = await erin.context().newPage();
  const shown = await watchNotifications(second);
  await second.goto(`/chat/${aside.id}`);
  await waitForChannel(second, aside.title);
  await second.getByRole("button", { name: strings.account.menu("erin") }).click();
  await second.getByRole("menuitem", { name: strings.account.notifications, exact: true }).click();
  await expect(second.getByText(strings.account.notificationsAre.on)).toBeVisible();

  await say(room, "alice", "@erin read this here");
  await say(other, "alice", "Nobody asked me", foreign.id);
  await say(other, "alice", "I know", own.id);
  const titled = (text: string) => `@alice · ${other.title}: ${text}`;
  await expect.poll(() => shown).toEqual([titled("I know")]);

  await erin.goto(`/chat/${other.id}?thread=${own.id}`);
  await expect(messageRow(threadPanel(erin), "I know")).toBeVisible();
  await say(other, "alice", "And I tell you", own.id);
  await expect(messageRow(threadPanel(erin), "And I tell you")).toBeVisible();
  await say(room, "alice", "@erin thank me here");
  await expect.poll(() => shown).toEqual([titled("I know"), `@alice · ${room.title}: @erin thank me here`]);
  await second.close();
});
