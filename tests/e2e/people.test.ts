import { once } from "node:events";
import type { Page } from "playwright/test";
import { WebSocket } from "ws";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  channelLink,
  chooseOnChannel,
  composer,
  messageRow,
  sidebar,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";
import { watchNotifications } from "./support/watch-notifications.ts";

test("notifications appear only while turned on, only for mentions, and not for a muted channel", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Bell Room", ["alice", "erin"]);
  const quiet = await createRoom(url, "Quiet Room", ["alice", "erin"]);
  const other = await createRoom(url, "Reading Room", ["erin"]);
  const erin = await openAs("erin", null);
  const shown = await watchNotifications(erin);
  await erin.goto(`/chat/${other.id}`);
  await waitForChannel(erin, other.title);
  await chooseOnChannel(erin, quiet.title, strings.channel.mute);
  const choose = async (item: string) => {
    await erin.getByRole("button", { name: strings.account.menu("erin") }).click();
    await erin.getByRole("menuitem", { name: item, exact: true }).click();
  };
  await choose(strings.account.notifications);
  await expect(erin.getByText(strings.account.notificationsAre.on)).toBeVisible();

  await say(quiet, "alice", "@erin nobody hears this");
  await say(room, "alice", "Only talking");
  await say(room, "alice", "@erin look here");
  await expect.poll(() => shown).toEqual([`@alice · ${room.title}: @erin look here`]);

  await choose(strings.account.noNotifications);
  await expect(erin.getByText(strings.account.notificationsAre.off)).toBeVisible();
  await say(room, "alice", "@erin and here");
  await expect(erin).toHaveTitle(/^\((?:[3-9]|\d{2,})\)/);
  expect(shown).toHaveLength(1);
});

test("a channel notifies as its member chose in Mattermost: for every message, only for mentions, or never", async ({
  openAs,
  url,
}) => {
  const other = await createRoom(url, "Reading Room", ["erin"]);
  const [loud, calm, still] = [
    await createRoom(url, "Loud Room", ["alice", "erin"]),
    await createRoom(url, "Calm Room", ["alice", "erin"]),
    await createRoom(url, "Still Room", ["alice", "erin"]),
  ];
  const levels = [[loud, "all"] as const, [calm, "mention"] as const, [still, "none"] as const];
  for (const [{ id, people }, desktop] of levels) {
    const member = people.get("erin");
    await member?.mattermost("PUT", `/channels/${id}/members/${member.userId}/notify_props`, { desktop });
  }
  const erin = await openAs("erin", null);
  const shown = await watchNotifications(erin);
  await erin.goto(`/chat/${other.id}`);
  await waitForChannel(erin, other.title);
  await erin.getByRole("button", { name: strings.account.menu("erin") }).click();
  await erin.getByRole("menuitem", { name: strings.account.notifications, exact: true }).click();
  await expect(erin.getByText(strings.account.notificationsAre.on)).toBeVisible();

  await say(still, "alice", "@erin nobody hears this");
  await say(calm, "alice", "Only talking");
  await say(calm, "alice", "@erin look here");
  await say(loud, "alice", "Anything at all");
  const titled = (title: string, text: string) => `@alice · ${title}: ${text}`;
  await expect
    .poll(() => shown)
    .toEqual([titled(calm.title, "@erin look here"), titled(loud.title, "Anything at all")]);
});

test("a channel's menu sets its notifications by keyboard, and another tab follows", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Level Room", ["alice", "erin"]);
  const [erin, again] = [await openAs("erin", `/chat/${room.id}`), await openAs("erin", `/chat/${room.id}`)];
  const openMenu = async (page: Page) => {
    await waitForChannel(page, room.title);
    const button = sidebar(page).getByRole("button", { name: `${strings.channel.menu}: ${room.title}` });
    await button.press("Enter");
    await expect(page.getByRole("menuitem", { name: strings.channel.favorite, exact: true })).toBeFocused();
    return button;
  };
  const level = (page: Page, name: keyof typeof strings.channel.notify) =>
    page
      .getByRole("group", { name: strings.channel.notifications })
      .getByRole("menuitemradio", { name: strings.channel.notify[name], exact: true });

  await openMenu(again);
  await expect(level(again, "default")).toBeChecked();
  const button = await openMenu(erin);
  await erin.keyboard.press("End");
  await expect(erin.getByRole("menuitem", { name: strings.channel.leave, exact: true })).toBeFocused();
  for (const name of ["default", "none", "mention"] as const) {
    await erin.keyboard.press("ArrowUp");
    await expect(level(erin, name)).toBeFocused();
  }
  await erin.keyboard.press("Enter");
  await expect(button).toBeFocused();

  await expect(level(again, "mention")).toBeChecked();
  await expect(level(again, "default")).not.toBeChecked();
  const member = room.people.get("erin");
  const kept = await member?.mattermost("GET", `/channels/${room.id}/members/me`);
  expect(kept.notify_props).toMatchObject({ desktop: "mention", mark_unread: "all" });
});

test("a person's card links to their Hive page and opens a tip or a conversation, or explains a refusal", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Card Room", ["dave", "bob"]);
  await say(room, "bob", "Who am I?");
  const dave = await openAs("dave", `/chat/${room.id}`);
  const name = messageRow(timeline(dave, room.title), "Who am I?").getByRole("button", {
    name: "bob",
    exact: true,
  });
  const card = dave.getByRole("dialog", { name: "@bob" });
  await name.press("Enter");
  await expect(card.getByRole("link", { name: strings.profile.hivePage })).toHaveAttribute(
    "href",
    "https://hive.blog/@bob",
  );
  await dave.keyboard.press("Escape");
  await expect(card).toBeHidden();
  await expect(name).toBeFocused();

  await name.press("Enter");
  await card.getByRole("button", { name: strings.profile.tip }).click();
  await expect(dave.getByRole("dialog", { name: pay.tip.title("bob") })).toBeVisible();
  await dave.keyboard.press("Escape");
  const message = card.getByRole("button", { name: strings.profile.message });
  await dave.route("**/api/chat/direct", (route) =>
    route.fulfill({ status: 403, json: { error: "No.", code: "forbidden" } }),
  );
  await message.click();
  await expect(card.getByRole("alert")).toHaveText(strings.finder.closedAccount("bob"));
  await dave.unroute("**/api/chat/direct");
  await message.click();
  await expect(composer(dave, "bob")).toBeVisible();
});

test("a status from the server shows as a dot with a text label", async ({ openAs, url }) => {
  const room = await createRoom(url, "Dot Room", ["alice", "bob"]);
  await say(room, "bob", "Here I am");
  const page = await openAs("bob", `/chat/${room.id}`);
  const row = messageRow(timeline(page, room.title), "Here I am");
  await expect(row).toBeVisible();
  const bob = room.people.get("bob");
  await bob?.mattermost("PUT", `/users/${bob.userId}/status`, { user_id: bob.userId, status: "dnd" });
  await expect(row.getByRole("img", { name: strings.presence.dnd })).toBeVisible();
});

test("presence is requested, updates on typing and writing, and hides while disconnected", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Presence Room", ["alice", "carol"]);
  await say(room, "carol", "I may come and go");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "I may come and go");
  await expect(row).toBeVisible();
  const dot = (name: "away" | "online") => row.getByRole("img", { name: strings.presence[name] });
  const carol = room.people.get("carol");
  const tell = (status: string) =>
    carol?.mattermost("PUT", `/users/${carol.userId}/status`, { user_id: carol.userId, status });
  await tell("away");
  const look = () => alice.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await look();
  await expect(dot("away")).toBeVisible();
  await tell("online");
  await look();
  await expect(dot("online")).toBeVisible();
  const [face, mark] = [
    await boxOf(row.getByRole("button", { name: strings.message.profileOf("carol") }).first()),
    await boxOf(dot("online")),
  ];
  // The button is as large as the face, so that both have the same lower edge.
  expect(face.height - face.width).toBeCloseTo(0, 0);
  expect(mark.bottom).toBeLessThanOrEqual(face.bottom + 1);
  await alice.context().setOffline(true);
  await expect(row.getByRole("img")).toHaveCount(0);
  await tell("away");
  await alice.context().setOffline(false);
  await expect(dot("away")).toBeVisible();

  // A person who types or writes is present, without a request for their status.
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/chat/websocket?token=${carol?.token}`);
  await once(socket, "open");
  const data = { channel_id: room.id, parent_id: "" };
  socket.send(JSON.stringify({ seq: 1, action: "user_typing", data }));
  await expect(dot("online")).toBeVisible();
  await tell("away");
  await look();
  await expect(dot("away")).toBeVisible();
  await say(room, "carol", "and here I am");
  await expect(dot("online")).toBeVisible();

  // A card requests the status again each time it opens.
  await tell("dnd");
  await row.getByRole("button", { name: "carol", exact: true }).click();
  await expect(alice.getByRole("dialog", { name: "@carol" })).toContainText(`${strings.presence.dnd}`);
  await tell("online");
  socket.terminate();
});

test("a screen reader hears a conversation's name first, then its partner's presence", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Spoken Room", ["bob", "dave"]);
  const [bob, dave] = [room.people.get("bob"), room.people.get("dave")];
  await bob?.chat("POST", "/direct", { username: "dave" });
  const page = await openAs("bob", `/chat/${room.id}`);
  for (const status of ["away", "dnd"] as const) {
    await dave?.mattermost("PUT", `/users/${dave.userId}/status`, { user_id: dave.userId, status });
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    const spoken = new RegExp(`^dave\\b.*${strings.presence[status]}$`);
    await expect(channelLink(page, "dave")).toHaveAccessibleName(spoken);
  }
});

test("a user without channels sees a notice, and can browse channels to join", async ({ openAs }) => {
  const erin = await openAs("erin", null);
  await erin.route("**/api/chat/channels", (route) => route.fulfill({ json: { channels: [] } }));
  await erin.goto("/chat");
  const place = erin.getByRole("main");
  await expect(place.getByRole("heading", { name: strings.sidebar.empty })).toBeVisible();
  await place.getByRole("button", { name: strings.sidebar.browse }).click();
  await expect(erin.getByRole("dialog", { name: strings.finder.title })).toBeVisible();
});

test("a wide screen opens the first channel without an intermediate choice", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await expect(page).toHaveURL(/\/chat\/[a-z0-9]{26}$/);
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const title = document.querySelector("main h2")?.textContent;
      if (title) seen.push(title);
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto("/chat");
  await expect(page).toHaveURL(/\/chat\/[a-z0-9]{26}$/);
  await expect(page.getByRole("log")).toBeVisible();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(seen).not.toContain(strings.channel.choose);
  expect(seen).not.toContain(strings.sidebar.empty);
});
