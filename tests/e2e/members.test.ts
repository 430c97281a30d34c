import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { waitForChannel } from "./support/chat-page.ts";
import { createRoom } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { mattermostAnswers } from "./support/outside-team.ts";
import { expect, test } from "./support/test.ts";

const { members } = strings;
const list = (page: Page) => page.getByRole("list", { name: members.title });
const row = (page: Page, name: string) => list(page).getByRole("button", { name: new RegExp(`^${name}\\b`) });

test("the member panel shows each member's role, and updates when people join and leave", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Roll Call", ["bob", "alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: members.title, exact: true }).click();
  // The channel's creator manages it, and comes first if Mattermost can sort managers first.
  await expect(list(alice).getByRole("listitem")).toHaveCount(2);
  await expect(list(alice).getByRole("listitem").first()).toContainText(
    mattermostAnswers().sortsManagersFirst ? "bob" : "alice",
  );
  await expect(row(alice, "bob")).toContainText(members.roles.channel_admin);
  await expect(row(alice, "alice")).toContainText(strings.sidebar.self("alice"));
  await expect(row(alice, "alice")).toContainText(strings.presence.online ?? "");
  await expectNothingSerious(alice, "members");

  const erin = await openAs("erin", `/chat/${room.id}`);
  await erin.getByRole("button", { name: strings.channel.join }).click();
  await expect(row(alice, "erin")).toBeVisible();
  await expect(row(alice, "erin")).toContainText(strings.presence.online ?? "");
  const gone = (await erin.evaluate(async () => (await fetch("/api/chat/me")).json())).user.id;
  await room.people.get("bob")?.mattermost("DELETE", `/channels/${room.id}/members/${gone}`);
  await expect(row(alice, "erin")).toBeHidden();
});

test("a member who returns is soon shown as online, without any action by the reader", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Late Arrivals", ["alice", "bob"]);
  const bob = room.people.get("bob");
  const tell = (status: string) =>
    bob?.mattermost("PUT", `/users/${bob.userId}/status`, { user_id: bob.userId, status });
  await tell("offline");
  const alice = await openAs("alice", null);
  const isSeenOffline = new Promise<void>((resolve) => {
    alice.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => {
        if (String(payload).includes(`"${bob?.userId}":"offline"`)) resolve();
      }),
    );
  });
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: members.title, exact: true }).click();
  await expect(row(alice, "bob")).toBeVisible();
  await isSeenOffline;
  await tell("online");
  await expect(row(alice, "bob")).toContainText(strings.presence.online ?? "");
});

test("a member with several roles is labelled with the highest", async ({ openAs, url }) => {
  const room = await createRoom(url, "Ranks", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.route(/\/members(\?|$)/, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { members: Array<{ user: { username: string } }> };
    const roles = ["channel_admin", "team_admin", "system_admin"];
    const members = answer.members.map((one) => (one.user.username === "bob" ? { ...one, roles } : one));
    await route.fulfill({ response, json: { ...answer, members } });
  });
  await alice.getByRole("button", { name: members.title, exact: true }).click();
  await expect(row(alice, "bob")).toContainText(members.roles.system_admin);
  await expect(row(alice, "bob")).not.toContainText(members.roles.channel_admin);
  await expect(row(alice, "bob")).not.toContainText(members.roles.team_admin);
});

test("the member search says that it found no one, and a member can be opened using only the keyboard", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Name Hunt", ["alice", "bob", "carol"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.getByRole("button", { name: members.title, exact: true }).press("Enter");
  const field = alice.getByRole("searchbox", { name: members.find });
  await expect(field).toBeFocused();
  await field.fill("nobody");
  await expect(alice.getByText(members.none)).toBeVisible();
  await field.fill("");
  await expect(list(alice).getByRole("listitem")).toHaveCount(3);
  await alice.keyboard.press("Tab");
  await expect(row(alice, "alice")).toBeFocused();
  await alice.keyboard.press("ArrowDown");
  await expect(row(alice, "bob")).toBeFocused();
  await alice.keyboard.press("Enter");
  await expect(alice.getByRole("dialog", { name: "@bob" })).toBeVisible();
  await alice.keyboard.press("Escape");
  await expect(row(alice, "bob")).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(list(alice)).toBeHidden();
});

test("on a phone the channel's description leads to the members", async ({ openAs, url }) => {
  const room = await createRoom(url, "Small Roll Call", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`, {
    viewport: { width: 390, height: 800 },
    hasTouch: true,
  });
  await waitForChannel(alice, room.title);
  await alice.getByRole("heading", { level: 1 }).getByRole("button").click();
  await alice.getByRole("button", { name: members.show }).click();
  await expect(list(alice).getByRole("listitem")).toHaveCount(2);
  await expect(alice.getByRole("searchbox", { name: members.find })).not.toBeFocused();
  await alice.goBack();
  await expect(list(alice)).toBeHidden();
  await expect(alice).toHaveURL(new RegExp(room.id));
});
