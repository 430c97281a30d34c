import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { channelLink, composer, sidebar, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("what is unread stands in one group on top, a favourite too, and stays there while it is read", async ({
  openAs,
  url,
}) => {
  const plain = await createRoom(url, "Plain Room", ["alice", "erin"]);
  const liked = await createRoom(url, "Liked Room", ["alice", "erin"]);
  const open = await createRoom(url, "Open Room", ["alice", "erin"]);
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

test("unread rows beyond the edges of the list are told of, and a press leads to them", async ({
  openAs,
  url,
}) => {
  const read = await createRoom(url, "Zz Reading Room", ["alice", "dave"]);
  const rooms = [];
  for (let made = 0; made < 14; made++) rooms.push(await createRoom(url, "Pill Room", ["alice", "dave"]));
  const [mentioned, ...others] = rooms;
  if (!mentioned) throw new Error("no room");
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
});

test("the page's title names the open channel", async ({ openAs, url }) => {
  const room = await createRoom(url, "Titled Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await expect(erin).toHaveTitle(new RegExp(`${room.title} · Hivegate chat$`));
  await erin.goto("/chat");
  await expect(erin).toHaveTitle(/^(\(\d+\) )?Hivegate chat$/);
});

test("the name of a muted channel keeps the contrast of small text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Faint Room", ["alice", "erin"]);
  await room.people.get("erin")?.chat("POST", `/channels/${room.id}/mute`, { mute: true });
  const erin = await openAs("erin", "/chat");
  await expect(channelLink(erin, room.title)).toHaveCSS("opacity", "1");
});

test("the help opens from the middle of a message, which stays as it was", async ({ openAs, url }) => {
  const room = await createRoom(url, "Helpful Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  await composer(erin, room.title).fill("half a sentence");
  await erin.keyboard.press("Control+/");
  await expect(erin.getByRole("dialog", { name: strings.help.title })).toBeVisible();
  await erin.keyboard.press("Escape");
  await expect(composer(erin, room.title)).toHaveValue("half a sentence");
});
