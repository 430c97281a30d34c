import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  channelLink,
  chooseOnChannel,
  composer,
  finderBox,
  sidebar,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { mattermostAnswers } from "./support/outside-team.ts";
import { expect, test } from "./support/test.ts";

/**
 * Waits until leaving has navigated to another channel, so that it does not collide with a navigation of the
 * test.
 */
async function waitForNextChannel(page: Page, left: { id: string; title: string }): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`/chat/(?!${left.id})[a-z0-9]{26}$`));
  await expect(timeline(page, left.title)).toBeHidden();
  await expect(page.getByRole("log")).toBeVisible();
}

test("a channel shown before opens again without a request for its page", async ({ openAs, url }) => {
  const room = await createRoom(url, "First Shown Room", ["alice"]);
  const other = await createRoom(url, "Second Shown Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const pages: string[] = [];
  alice.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/chat/")) pages.push(pathname);
  });
  for (const { title } of [other, room, other]) {
    await channelLink(alice, title).click();
    await waitForChannel(alice, title);
  }
  expect(pages.filter((path) => path === `/chat/${other.id}`)).toHaveLength(1);
});

test("a favourite moves to its section and back, and the move survives a reload", async ({ openAs, url }) => {
  const room = await createRoom(url, "Favourite Room", ["alice"]);
  const alice = await openAs("alice", "/chat");
  const favourites = sidebar(alice).getByRole("region", { name: strings.sidebar.sections.favorites });
  await chooseOnChannel(alice, room.title, strings.channel.favorite);
  await expect(favourites.getByRole("link", { name: room.title })).toBeVisible();
  await alice.reload();
  await expect(favourites.getByRole("link", { name: room.title })).toBeVisible();
  await chooseOnChannel(alice, room.title, strings.channel.unfavorite);
  await expect(favourites.getByRole("link", { name: room.title })).toBeHidden();
  await expect(channelLink(alice, room.title)).toBeVisible();
});

test("a muted channel counts only mentions, and the title omits its threads, even after a reload", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Muted Room", ["alice", "erin"]);
  const other = await createRoom(url, "Another Room", ["alice", "erin"]);
  await room.people.get("erin")?.chat("POST", "/threads/view", {});
  const erin = await openAs("erin", `/chat/${other.id}`);
  await chooseOnChannel(erin, room.title, strings.channel.mute);
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.muted);
  const counted = async () => Number(/^\((\d+)\)/.exec(await erin.title())?.[1] ?? 0);
  const before = await counted();
  const own = await say(room, "erin", "Does anybody answer?");
  await say(room, "alice", "Nobody has to hear this");
  await say(room, "alice", "Nor this answer", own.id);
  const threads = sidebar(erin).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
  await expect(threads).toContainText(strings.threads.unread(1));
  await say(room, "alice", "@erin only this");
  for (const look of [async () => undefined, () => erin.reload()]) {
    await look();
    await expect.poll(counted).toBe(before + 1);
    await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.mentions(1));
    await expect(channelLink(erin, room.title)).not.toContainText(strings.sidebar.unread(1));
    await expect(channelLink(erin, room.title).getByText("1", { exact: true })).toBeVisible();
  }
  await chooseOnChannel(erin, room.title, strings.channel.unmute);
  await expect(channelLink(erin, room.title)).not.toContainText(strings.sidebar.muted);
});

test("an unread thread in a muted channel is not counted in the title, even if it is not on the first page of threads", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Muted Depths", ["alice", "erin"]);
  const other = await createRoom(url, "Busy Room", ["alice", "erin"]);
  const person = room.people.get("erin");
  await person?.chat("POST", "/threads/view", {});
  const erin = await openAs("erin", `/chat/${other.id}`);
  await chooseOnChannel(erin, room.title, strings.channel.mute);
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.muted);
  const counted = async () => Number(/^\((\d+)\)/.exec(await erin.title())?.[1] ?? 0);
  const before = await counted();
  const muted = await say(room, "erin", "Does anybody answer?");
  await say(room, "alice", "Not so that it is heard", muted.id);
  const latest = await say(other, "erin", "And here?");
  for (let count = 1; count <= 25; count++) {
    const own = await say(other, "erin", `Note ${count}`);
    await say(other, "erin", `More on note ${count}`, own.id);
  }
  await say(other, "alice", "Here it is heard, @erin", latest.id);
  const threads = sidebar(erin).getByRole("button", { name: new RegExp(`^${strings.threads.title}\\b`) });
  for (const look of [async () => undefined, () => erin.reload()]) {
    await look();
    await expect(threads).toContainText(strings.threads.unread(2));
    await expect.poll(counted).toBe(before + 1);
  }
  await person?.chat("POST", "/threads/view", {});
  await expect.poll(counted).toBe(before);
});

test("a failed or offline muting is reverted at once and leaves the rest of the list unchanged", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Hasty Room", ["alice", "erin"]);
  const busy = await createRoom(url, "Busy Room", ["alice", "erin"]);
  const open = await createRoom(url, "Harbour Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${open.id}`);
  await waitForChannel(erin, open.title);
  let refuse = () => {};
  const isRefused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await erin.route(`**/channels/${room.id}/mute`, async (route) => {
    await isRefused;
    await route.fulfill({ status: 502, json: { error: "Away.", code: "backend_unreachable" } });
  });
  await chooseOnChannel(erin, room.title, strings.channel.mute);
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.muted);
  await say(busy, "alice", "Said meanwhile");
  await expect(channelLink(erin, busy.title)).toContainText(strings.sidebar.unread(1));
  refuse();
  await expect(channelLink(erin, room.title)).not.toContainText(strings.sidebar.muted);
  await expect(channelLink(erin, busy.title)).toContainText(strings.sidebar.unread(1));

  await erin.context().setOffline(true);
  await chooseOnChannel(erin, busy.title, strings.channel.mute);
  await expect(channelLink(erin, busy.title)).not.toContainText(strings.sidebar.muted);
  await erin.context().setOffline(false);
});

test("a channel to which someone else added the user counts as unread before it is first opened", async ({
  openAs,
  url,
}) => {
  const other = await createRoom(url, "Opened Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${other.id}`);
  const room = await createRoom(url, "Unopened Room", ["alice"]);
  const [alice, newcomer] = [room.people.get("alice"), other.people.get("erin")];
  await alice?.mattermost("POST", `/channels/${room.id}/members`, { user_id: newcomer?.userId });
  await expect(channelLink(erin, room.title)).toBeVisible();
  await say(room, "alice", "History for whoever opens this");
  await say(other, "alice", "The message after it");
  await expect(timeline(erin, other.title)).toContainText("The message after it");
  for (const look of [async () => undefined, () => erin.reload()]) {
    await look();
    await expect(channelLink(erin, room.title)).toBeVisible();
    await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(1));
  }
});

test("a channel's menu marks it as read", async ({ openAs, url }) => {
  const room = await createRoom(url, "Marking Room", ["alice", "erin"]);
  const other = await createRoom(url, "Another Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${other.id}`);
  await expect(channelLink(erin, room.title)).toBeVisible();
  await say(room, "alice", "Read me later");
  await expect(channelLink(erin, room.title)).toContainText(strings.sidebar.unread(1));
  await chooseOnChannel(erin, room.title, strings.channel.markRead);
  await expect(channelLink(erin, room.title)).not.toContainText(strings.sidebar.unread(1));
});

test("a channel that the user left can be found again, read as a guest, and joined", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Revolving Door", ["alice", "bob"]);
  await say(room, "alice", "Come and go as you like");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect(timeline(bob, room.title)).toBeVisible();
  // The socket may report that bob left before the answer arrives.
  await bob.route(`**/channels/${room.id}/leave`, async (route) => {
    const response = await route.fetch();
    await expect(channelLink(bob, room.title)).toBeHidden();
    await route.fulfill({ response });
  });
  await chooseOnChannel(bob, room.title, strings.channel.leave);
  await expect(channelLink(bob, room.title)).toBeHidden();
  await waitForNextChannel(bob, room);

  await bob.goto(`/chat/${room.id}`);
  const { readsAsGuest } = mattermostAnswers();
  const message = timeline(bob, room.title).getByText("Come and go as you like");
  await expect(readsAsGuest ? message : bob.getByText(strings.channel.notMember)).toBeVisible();
  await expect(composer(bob, room.title)).toBeHidden();
  await expectNothingSeriousInBothThemes(bob, "a channel read as a guest");
  await bob.getByRole("button", { name: strings.channel.join }).click();
  await expect(composer(bob, room.title)).toBeVisible();
  await expect(channelLink(bob, room.title)).toBeVisible();
});

test("leaving a private channel asks first, and an uninvited user who tries to join is refused", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Back Room", ["alice", "bob"], "P");
  const bob = await openAs("bob", `/chat/${room.id}`);
  const question = bob.getByRole("dialog", { name: strings.channel.leaveTitle(room.title) });
  await chooseOnChannel(bob, room.title, strings.channel.leave);
  await expect(question).toBeVisible();
  await expectNothingSeriousInBothThemes(bob, "the question before a private channel is left");
  await question.getByRole("button", { name: strings.message.cancel }).click();
  await expect(channelLink(bob, room.title)).toBeVisible();
  await chooseOnChannel(bob, room.title, strings.channel.leave);
  await question.getByRole("button", { name: strings.channel.leave }).click();
  await expect(channelLink(bob, room.title)).toBeHidden();
  await waitForNextChannel(bob, room);

  await bob.goto(`/chat/${room.id}`);
  await expect(bob.getByText(strings.channel.notMember)).toBeVisible();
  await bob.getByRole("button", { name: strings.channel.join }).click();
  await expect(bob.locator("[data-sonner-toast]")).toBeVisible();
  await expect(channelLink(bob, room.title)).toBeHidden();
});

test("a link to a channel that does not exist is explained on the page", async ({ openAs }) => {
  const alice = await openAs("alice", `/chat/${"z".repeat(26)}`);
  const [status] = mattermostAnswers().postsOfNoChannel;
  await expect(alice.getByText(strings.channel[status === 404 ? "notFound" : "notMember"])).toBeVisible();
});

test("the list does not move while one of its menus is open, and moves after it closes", async ({
  openAs,
  url,
}) => {
  const quiet = await createRoom(url, "A Quiet Room", ["alice", "erin"]);
  const loud = await createRoom(url, "The Loud Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${loud.id}`);
  await waitForChannel(erin, loud.title);
  const other = await createRoom(url, "Third Room", ["alice", "erin"]);
  await channelLink(erin, other.title).click();
  await waitForChannel(erin, other.title);
  const topOf = async (title: string) => (await boxOf(channelLink(erin, title))).y;
  await channelLink(erin, quiet.title).hover();
  const menuButton = sidebar(erin).getByRole("button", { name: `${strings.channel.menu}: ${quiet.title}` });
  await menuButton.click();
  await expect(erin.getByRole("menuitem").first()).toBeVisible();
  const top = await topOf(quiet.title);
  await say(loud, "alice", "This comes to the top");
  await expect(channelLink(erin, loud.title)).toContainText(strings.sidebar.unread(1));
  expect(await topOf(quiet.title)).toBe(top);
  expect(await topOf(loud.title)).toBeGreaterThan(top);
  await erin.keyboard.press("Escape");
  await expect.poll(async () => (await topOf(loud.title)) < (await topOf(quiet.title))).toBe(true);
});

test("the list recovers when a channel disappears with its open menu and returns", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Vanishing Room", ["alice", "erin"]);
  const other = await createRoom(url, "Lasting Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${other.id}`);
  await waitForChannel(erin, other.title);
  await channelLink(erin, room.title).hover();
  await sidebar(erin)
    .getByRole("button", { name: `${strings.channel.menu}: ${room.title}` })
    .click();
  await expect(erin.getByRole("menu")).toBeVisible();
  const [alice, userId] = [room.people.get("alice"), room.people.get("erin")?.userId];
  await alice?.mattermost("DELETE", `/channels/${room.id}/members/${userId}`);
  await expect(channelLink(erin, room.title)).toBeHidden();
  await alice?.mattermost("POST", `/channels/${room.id}/members`, { user_id: userId });
  await expect(channelLink(erin, room.title)).toBeVisible();
  const late = await createRoom(url, "Late Room", ["alice", "erin"]);
  await expect(channelLink(erin, late.title)).toBeVisible();
});

test("the list does not change if a refetch fails", async ({ openAs, url }) => {
  const room = await createRoom(url, "Staying Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  await waitForChannel(erin, room.title);
  let refusals = 0;
  await erin.route(/\/api\/chat\/channels$/, (route) => {
    refusals += 1;
    return route.fulfill({ status: 500, json: { error: "Not now.", code: "internal" } });
  });
  await createRoom(url, "Unseen Room", ["alice", "erin"]);
  // Two fetches of three attempts each: one for the event of being added, one for the message about it.
  await expect.poll(() => refusals).toBe(6);
  await erin.keyboard.press("Control+k");
  await expect(finderBox(erin)).toBeVisible();
  await erin.keyboard.press("Escape");
  await expect(finderBox(erin)).toBeHidden();
  await expect(channelLink(erin, room.title)).toBeVisible();
});

test("guests see a channel's description formatted", async ({ openAs, url }) => {
  const room = await createRoom(url, "Guided Room", ["alice"]);
  const purpose = "Read the **rules** at [our page](https://example.com/rules)";
  await room.people.get("alice")?.mattermost("PUT", `/channels/${room.id}/patch`, { purpose });
  if (!mattermostAnswers().readsAsGuest) return;
  const bob = await openAs("bob", `/chat/${room.id}`);
  const card = bob.getByRole("region", { name: strings.channel.about(room.title) });
  await expect(card.locator("strong")).toHaveText("rules");
  await expect(card.getByRole("link", { name: "our page" })).toHaveAttribute(
    "href",
    "https://example.com/rules",
  );
  await expect(card).not.toContainText("**");
});
