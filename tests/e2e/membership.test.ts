import { strings as media } from "../../app/(demo)/_chat/media/strings.en.ts";
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
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { handFile } from "./support/hand-file.ts";
import { expect, test } from "./support/test.ts";

const { standing } = strings.channel;

test("a user removed from an open channel is told in every tab, and can rejoin with their draft", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Removal Room", ["alice", "bob"]);
  const root = await say(room, "alice", "A thread that stays open");
  const bob = await openAs("bob", `/chat/${room.id}?thread=${root.id}`);
  const second = await bob.context().newPage();
  await second.goto(`/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await waitForChannel(second, room.title);
  await expect(replyBox(bob)).toBeVisible();
  await composer(bob, room.title).fill("half a sent");
  const userId = room.people.get("bob")?.userId;
  await room.people.get("alice")?.mattermost("DELETE", `/channels/${room.id}/members/${userId}`);

  for (const page of [bob, second]) {
    await expect(page.getByRole("alert").filter({ hasText: standing.removed })).toBeVisible();
    await expect(composer(page, room.title)).toBeHidden();
    await expect(channelLink(page, room.title)).toBeHidden();
    await expect(timeline(page, room.title).getByText("A thread that stays open")).toBeVisible();
  }
  await expect(replyBox(bob)).toBeHidden();
  await expect(threadPanel(bob)).toContainText(standing.removed);
  await expect(bob.getByText(standing.draftKept)).toBeVisible();
  await expectNothingSeriousInBothThemes(bob, "a channel that one was removed from, with a thread");

  await threadPanel(bob).getByRole("button", { name: strings.channel.joinAgain }).click();
  for (const page of [bob, second]) await expect(composer(page, room.title)).toBeVisible();
  await expect(composer(bob, room.title)).toHaveValue("half a sent");
  await expect(channelLink(bob, room.title)).toBeVisible();
});

test("a message pending when its author is removed stays with the reason, and is sent after rejoining", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Late Room", ["alice", "bob"]);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  const userId = room.people.get("bob")?.userId;
  let release = () => undefined as unknown;
  const held = new Promise((resolve) => {
    release = () => resolve(undefined);
  });
  await bob.route(`**/channels/${room.id}/posts`, async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await write(bob, room.title, "written too late");
  await room.people.get("alice")?.mattermost("DELETE", `/channels/${room.id}/members/${userId}`);
  await expect(bob.getByText(standing.removed)).toBeVisible();
  release();
  await expect(bob.getByRole("alert").filter({ hasText: strings.message.notSentAs.out })).toBeVisible();
  await expect(bob.getByText("written too late")).toBeVisible();
  await bob.getByRole("button", { name: strings.channel.joinAgain }).click();
  await bob.getByRole("button", { name: strings.message.retry }).click();
  await expect(messageRow(timeline(bob, room.title), "written too late")).toBeVisible();
});

test("a message that waits for its picture is not sent without it if its author is removed meanwhile", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Waiting Removal", ["alice", "bob"], "P");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await bob.route(/\/channels\/\w+\/files/, () => new Promise(() => undefined));
  await handFile(composer(bob, room.title), "paste", "hill.png");
  await write(bob, room.title, "with its picture");
  await expect(bob.getByText(media.upload.waiting)).toBeVisible();
  const userId = room.people.get("bob")?.userId;
  await room.people.get("alice")?.mattermost("DELETE", `/channels/${room.id}/members/${userId}`);
  await expect(bob.getByText(media.upload.failed("hill", standing.removedPrivate))).toBeVisible();
  await expect(bob.getByText(standing.draft)).toBeVisible();
  await expect(timeline(bob, room.title).getByText("with its picture")).toHaveCount(0);
});

test("a user removed from a private channel is told who can add them, and keeps the draft", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Private Removal", ["alice", "bob"], "P");
  await say(room, "alice", "Between us");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await composer(bob, room.title).fill("unfinished");
  const alice = room.people.get("alice");
  const userId = room.people.get("bob")?.userId;
  await alice?.mattermost("DELETE", `/channels/${room.id}/members/${userId}`);
  await expect(bob.getByText(standing.removedPrivate)).toBeVisible();
  await expect(bob.getByText(standing.draft)).toBeVisible();
  await expect(bob.getByRole("button", { name: strings.channel.joinAgain })).toBeHidden();
  await expect(bob.getByRole("main").getByRole("link", { name: strings.channel.back }).last()).toBeVisible();
  const refusal = media.upload.failed("late.png", standing.removedPrivate);
  // The code that refuses files loads after the bar.
  await expect(async () => {
    await handFile(timeline(bob, room.title), "drop", "late.png");
    await expect(bob.getByText(refusal).first()).toBeVisible({ timeout: 1000 });
  }).toPass();

  await say(room, "alice", "Said while bob was out");
  await alice?.mattermost("POST", `/channels/${room.id}/members`, { user_id: userId });
  await expect(composer(bob, room.title)).toHaveValue("unfinished");
  await expect(timeline(bob, room.title).getByText("Said while bob was out")).toBeVisible();
});

test("an open channel that becomes archived says so, and can be read and left", async ({ openAs, url }) => {
  const room = await createRoom(url, "Archive Room", ["alice", "bob"]);
  await say(room, "alice", "For the record");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await room.people.get("alice")?.mattermost("DELETE", `/channels/${room.id}`);
  await expect(bob.getByRole("alert").filter({ hasText: standing.archived })).toBeVisible();
  await expect(composer(bob, room.title)).toBeHidden();
  await bob.reload();
  await expect(bob.getByText(standing.archived)).toBeVisible();
  await expect(timeline(bob, room.title).getByText("For the record")).toBeVisible();
  await expectNothingSeriousInBothThemes(bob, "an archived channel");
  await bob.getByRole("button", { name: strings.channel.leave }).click();
  await expect(bob).not.toHaveURL(new RegExp(room.id));
});

test("a message by a program or another client shows its account and what wrote it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Other Voices", ["alice", "bob"]);
  const bob = room.people.get("bob");
  const post = (body: object) => bob?.mattermost("POST", "/posts", { channel_id: room.id, ...body });
  await post({ message: "Something made by a plugin", type: "custom_poll" });
  await post({ message: "", type: "custom_thing" });
  await post({
    message: "Build 7 is green",
    props: { from_webhook: "true", override_username: "alice" },
  });
  await say(room, "bob", "And this is me again");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  const poll = messageRow(list, "Something made by a plugin");
  await expect(poll.getByRole("button", { name: "bob", exact: true })).toBeVisible();
  await expect(messageRow(list, strings.message.notShowable)).toBeVisible();
  // A name that a program chose is never shown without its account.
  const hook = messageRow(list, "Build 7 is green");
  await expect(hook).toContainText("alice");
  await expect(hook).toContainText(strings.message.program.webhook);
  await expect(hook.getByRole("button", { name: strings.message.byAccount("bob") })).toBeVisible();
  await expect(
    messageRow(list, "And this is me again").getByRole("button", { name: "bob", exact: true }),
  ).toBeVisible();
});

test("a conversation keeps its partner's name after it is hidden, and says if their account is deactivated", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Aside of Two", ["bob", "carol"]);
  const bob = room.people.get("bob");
  const open = () => bob?.chat("POST", "/direct", { username: "carol" });
  const putAway = () => bob?.chat("POST", `/channels/${channelId}/leave`, {});
  const channelId = (await open())?.channelId;
  const page = await openAs("bob", `/chat/${channelId}`);
  await waitForChannel(page, "carol");
  await composer(page, "carol").fill("half a word");
  await putAway();
  await expect(channelLink(page, "carol")).toBeHidden();
  const title = page.getByRole("heading", { level: 1 });
  await expect(title).toHaveText("carol");
  await expect(composer(page, "carol")).toHaveValue("half a word");
  await open();
  await expect(channelLink(page, "carol")).toBeVisible();

  // Closing carol's account would affect other tests, so the event is faked.
  const isOfPage = (address: URL) => address.pathname === `/api/chat/channels/${channelId}/posts`;
  await page.route(isOfPage, async (route) => {
    if (route.request().method() !== "GET") return route.fallback();
    const response = await route.fetch();
    const told = await response.json();
    told.channel.directUser.is_deactivated = true;
    await route.fulfill({ response, json: told });
  });
  await putAway();
  await expect(page.getByRole("alert").filter({ hasText: standing.deactivated })).toBeVisible();
  await expect(page.getByText(standing.draft)).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a conversation whose partner's account is closed");
  await expect(title).toHaveText("carol");
  await expect(composer(page, "carol")).toBeHidden();
  await page.unroute(isOfPage);
  await open();
  await expect(composer(page, "carol")).toHaveValue("half a word");
});
