import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  channelLink,
  composer,
  finderBox,
  messageRow,
  pointAt,
  pressOnMessage,
  replyBox,
  threadPanel,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("a message appears once for its author and for another member", async ({ openAs, url }) => {
  const room = await createRoom(url, "Hello Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await waitForChannel(bob, room.title);

  await write(alice, room.title, "Good morning, bob");
  await expect(composer(alice, room.title)).toHaveValue("");
  await expect(timeline(alice, room.title).getByText("Good morning, bob")).toBeVisible();
  await expect(timeline(bob, room.title).getByText("Good morning, bob")).toBeVisible();
  await write(bob, room.title, "Good morning, alice");
  await expect(timeline(alice, room.title).getByText("Good morning, alice")).toBeVisible();
  await expect(timeline(alice, room.title).getByText("Good morning, bob")).toHaveCount(1);
  await expect(timeline(bob, room.title).getByText("Good morning, alice")).toHaveCount(1);
});

test("the typing indicator names the writer until the message arrives", async ({ openAs, url }) => {
  const room = await createRoom(url, "Typing Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await waitForChannel(bob, room.title);
  // The name of a person seen for the first time comes from their message.
  await say(room, "bob", "I was here before");
  await expect(timeline(alice, room.title).getByText("I was here before")).toBeVisible();
  await composer(bob, room.title).pressSequentially("Let me think");
  await expect(alice.getByText(strings.typing.one("bob"))).toBeVisible();
  await composer(bob, room.title).press("Enter");
  await expect(timeline(alice, room.title).getByText("Let me think")).toBeVisible();
  await expect(alice.getByText(strings.typing.one("bob"))).toBeHidden();
});

test("a reaction appears for both people with its count, and pressing it again removes it", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Reaction Room", ["alice", "bob"]);
  const post = await say(room, "alice", "We shipped it");
  await room.people
    .get("alice")
    ?.chat("POST", `/channels/${room.id}/posts/${post.id}/reactions`, { emoji: "tada", add: true });
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  const aliceRow = messageRow(timeline(alice, room.title), "We shipped it");
  const bobRow = messageRow(timeline(bob, room.title), "We shipped it");

  await bobRow.getByRole("button", { name: strings.message.toggle("tada", 1) }).click();
  const two = strings.message.toggle("tada", 2);
  await expect(bobRow.getByRole("button", { name: two })).toHaveAttribute("aria-pressed", "true");
  await expect(aliceRow.getByRole("button", { name: two })).toBeVisible();
  await bobRow.getByRole("button", { name: two }).click();
  await expect(aliceRow.getByRole("button", { name: strings.message.toggle("tada", 1) })).toBeVisible();
});

test("an emoji from the picker is added to a message as a reaction", async ({ openAs, url }) => {
  const room = await createRoom(url, "Picker Room", ["alice"]);
  await say(room, "alice", "Pick one for me");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Pick one for me");
  await pressOnMessage(row, strings.message.react);
  await alice.getByRole("searchbox").fill("rocket");
  await alice.getByRole("button", { name: ":rocket:" }).click();
  await expect(row.getByRole("button", { name: strings.message.toggle("rocket", 1) })).toBeVisible();
});

test("Enter in the emoji picker takes the best match, and the arrow keys lead to the others", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Enter Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  const field = alice.getByRole("searchbox");
  const best = alice.getByRole("region", { name: strings.message.bestEmoji }).getByRole("button");
  const inList = alice.getByRole("gridcell").and(alice.locator("[data-active]"));
  const search = async (term: string) => {
    await box.fill("");
    await alice.getByRole("button", { name: strings.composer.emoji, exact: true }).click();
    await field.fill(term);
    await expect(inList).toHaveCount(1);
    await expect(best.first()).toHaveAttribute("data-active");
  };
  for (const [term, character] of [
    ["rocket", "🚀"],
    ["heart", "❤️"],
    ["smile", "😄"],
    ["thumbs", "👍"],
  ] as const) {
    await search(term);
    const id = (await best.first().getAttribute("id")) ?? "";
    await expect(field).toHaveAttribute("aria-activedescendant", id);
    await field.press("Enter");
    await expect(box).toHaveValue(character);
  }
  await search("heart");
  const second = (await best.nth(1).textContent()) ?? "";
  await field.press("ArrowRight");
  await expect(best.nth(1)).toHaveAttribute("data-active");
  await field.press("Enter");
  await expect(box).toHaveValue(second);

  await search("heart");
  const inListFirst = (await inList.textContent()) ?? "";
  await field.press("ArrowDown");
  await expect(field).not.toHaveAttribute("aria-activedescendant");
  await field.press("ArrowUp");
  await expect(best.first()).toHaveAttribute("data-active");
  await field.press("ArrowDown");
  await field.press("Enter");
  await expect(box).toHaveValue(inListFirst);
});

test("an emoji that was used comes first the next time, in the picker and above a message", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Habit Room", ["alice"]);
  await say(room, "alice", "React to me");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "React to me");
  await pointAt(row);
  const bar = row.getByRole("toolbar").getByRole("button", { name: strings.message.reactWith("") });
  await expect(bar).toHaveCount(5);
  await expect(bar.first()).toHaveAccessibleName("React with thumbs up");
  await expect(bar.first()).toHaveAttribute("aria-pressed", "false");
  await pressOnMessage(row, strings.message.react);
  const recent = alice.getByRole("region", { name: strings.message.recentEmoji });
  await expect(recent.getByRole("button").first()).toHaveAccessibleName(":+1:");
  await alice.getByRole("searchbox").fill("rocket");
  await expect(recent).toBeHidden();
  await alice.getByRole("button", { name: ":rocket:" }).click();
  await expect(row.getByRole("button", { name: strings.message.toggle("rocket", 1) })).toBeVisible();

  await alice.reload();
  await pointAt(row);
  await expect(bar).toHaveCount(5);
  await expect(bar.first()).toHaveAccessibleName("React with rocket");
  await expect(bar.first()).toHaveAttribute("aria-pressed", "true");
  await alice.getByRole("button", { name: strings.composer.emoji }).click();
  await recent.getByRole("button", { name: ":rocket:" }).click();
  await expect(composer(alice, room.title)).toHaveValue("🚀");
});

test("a thread opens next to the channel, and its replies count on the root for both people", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Thread Room", ["alice", "bob"]);
  await say(room, "alice", "Where do we meet?");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await pressOnMessage(messageRow(timeline(bob, room.title), "Where do we meet?"), strings.message.reply);
  await replyBox(bob).fill("At the harbour");
  await replyBox(bob).press("Enter");
  await expect(messageRow(threadPanel(bob), "At the harbour")).toBeVisible();

  const root = messageRow(timeline(alice, room.title), "Where do we meet?");
  await root.getByRole("button", { name: new RegExp(strings.message.replies(1)) }).click();
  await expect(messageRow(threadPanel(alice), "At the harbour")).toBeVisible();
  await expect(timeline(alice, room.title).getByText("At the harbour")).toBeHidden();
  await replyBox(alice).fill("See you there");
  await replyBox(alice).press("Enter");
  await expect(messageRow(threadPanel(bob), "See you there")).toBeVisible();
  await expect(
    messageRow(timeline(bob, room.title), "Where do we meet?").getByRole("button", {
      name: new RegExp(strings.message.replies(2)),
    }),
  ).toBeVisible();
  await threadPanel(bob).getByRole("button", { name: strings.thread.close }).click();
  await expect(threadPanel(bob)).toBeHidden();
});

test("a first direct message appears live in the recipient's list, and counts in the title", async ({
  openAs,
}) => {
  const carol = await openAs("carol", "/chat");
  await expect(carol.getByRole("button", { name: strings.account.menu("carol") })).toBeVisible();
  await expect(channelLink(carol, "erin")).toBeHidden();
  const erin = await openAs("erin", "/chat");
  await erin.getByRole("button", { name: strings.sidebar.find }).click();
  await finderBox(erin).fill("carol");
  await erin.getByRole("option", { name: "@carol" }).click();
  await write(erin, "carol", "Do you have a minute?");
  await expect(timeline(erin, "carol").getByText("Do you have a minute?")).toBeVisible();

  const link = channelLink(carol, "erin");
  await expect(link).toContainText(strings.sidebar.unread(1));
  await expect(carol).toHaveTitle(/^\(\d+\+?\) /);
  await link.click();
  await expect(timeline(carol, "erin").getByText("Do you have a minute?")).toBeVisible();
  await expect(link).not.toContainText(strings.sidebar.unread(1));
});

test("the list and the title count unread messages and mentions until they are read", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Counting Room", ["alice", "erin"]);
  const other = await createRoom(url, "Waiting Room", ["alice", "erin"]);
  const erin = await openAs("erin", `/chat/${other.id}`);
  const link = channelLink(erin, room.title);
  await waitForChannel(erin, other.title);
  await expect(link).toBeVisible();
  await say(room, "alice", "One");
  await say(room, "alice", "Two, @erin");
  await expect(link).toContainText(strings.sidebar.unread(2));
  await expect(link).toContainText(strings.sidebar.mentions(1));
  await expect(erin).toHaveTitle(/^\(\d+\) /);
  const titleThen = await erin.title();

  await link.click();
  await expect(timeline(erin, room.title).getByText(strings.timeline.newMessages)).toBeVisible();
  await expect(link).not.toContainText(strings.sidebar.unread(2));
  await expect(erin).not.toHaveTitle(titleThen);
});

test("a message that failed to send keeps its text, and is sent on a retry", async ({ openAs, url }) => {
  const room = await createRoom(url, "Retry Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.route("**/posts", (route) =>
    route.request().method() === "POST"
      ? route.fulfill({ status: 502, json: { error: "Not now.", code: "backend_unreachable" } })
      : route.continue(),
  );
  await write(alice, room.title, "This must not get lost");
  await expect(alice.getByText(strings.message.notSent)).toBeVisible();
  await alice.reload();
  await expect(alice.getByText("This must not get lost")).toBeVisible();

  await alice.unroute("**/posts");
  await alice.getByRole("button", { name: strings.message.retry }).click();
  await expect(messageRow(timeline(alice, room.title), "This must not get lost")).toBeVisible();
  await expect(alice.getByText(strings.message.notSent)).toBeHidden();
  await alice.reload();
  await expect(timeline(alice, room.title).getByText("This must not get lost")).toHaveCount(1);
});

test("bold text, code, links and lists are formatted", async ({ openAs, url }) => {
  const room = await createRoom(url, "Markdown Room", ["alice"]);
  await say(
    room,
    "alice",
    "**bold** and `code`, see https://example.com/page\n\n- first\n- second\n\n```ts\nconst answer = 42;\n```",
  );
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "bold");
  await expect(row.locator("strong")).toHaveText("bold");
  await expect(row.getByRole("listitem").first()).toHaveText("first");
  await expect(row.locator("pre")).toContainText("const answer = 42;");
  const link = row.getByRole("link", { name: "https://example.com/page" });
  await expect(link).toHaveAttribute("target", "_blank");
  await expect(link).toHaveAttribute("rel", /noopener/);
});
