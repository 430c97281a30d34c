import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { chooseOnMessage, composer, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("a ~channel name completes while it is typed, and links to the channel", async ({ openAs, url }) => {
  const room = await createRoom(url, "Signpost Room", ["alice", "bob"]);
  const other = await createRoom(url, "Harbour Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await composer(alice, room.title).pressSequentially(`More in ~${other.name}`);
  await expect(alice.getByRole("option", { name: other.title })).toBeVisible();
  await alice.keyboard.press("Enter");
  await expect(composer(alice, room.title)).toHaveValue(`More in ~${other.name} `);
  await alice.getByRole("button", { name: strings.composer.emoji, exact: true }).click();
  const recent = alice.getByRole("region", { name: strings.message.recentEmoji });
  await expect(recent.getByRole("button").first()).toBeVisible();
  await expect(recent.getByText("#")).toHaveCount(0);
  await alice.keyboard.press("Escape");
  await composer(alice, room.title).pressSequentially("and ~nowhere-at-all, **really**");
  await alice.keyboard.press("Enter");
  const row = messageRow(timeline(alice, room.title), "More in");
  await expect(row.getByText("~nowhere-at-all")).toBeVisible();
  await expect(row.getByRole("link", { name: "~nowhere-at-all" })).toHaveCount(0);
  await row.getByRole("link", { name: `~${other.title}` }).click();
  await expect(alice).toHaveURL(new RegExp(`/chat/${other.id}$`));

  // Bob is not a member, but could become one.
  const bob = await openAs("bob", `/chat/${room.id}`);
  const named = messageRow(timeline(bob, room.title), "More in");
  const asked: (string | null)[] = [];
  bob.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith("/channels/public")) asked.push(searchParams.get("q"));
  });
  const box = composer(bob, room.title);
  await box.pressSequentially(`See ~${other.name}`, { delay: 20 });
  await expect(bob.getByRole("option", { name: other.title })).toContainText(strings.guest.notIn);
  await expect.poll(() => asked.at(-1)).toBe(other.name);
  expect(asked.length).toBeLessThan(6);
  const count = asked.length;
  // Earlier answers are cached, so that typing on without waiting still finds all matches.
  await box.press("Backspace");
  await box.pressSequentially(other.name.slice(-1));
  await box.press("Enter");
  await expect(box).toHaveValue(`See ~${other.name} `);
  expect(asked.slice(count)).not.toContain(other.name);
  await named.getByRole("button", { name: `~${other.title}` }).click();
  await expect(bob).toHaveURL(new RegExp(`/chat/${other.id}$`));
  await expect(bob.getByRole("button", { name: strings.channel.join })).toBeVisible();
});

test("/me describes an action of its author, and /tip opens the tip without sending a message", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Command Room", ["alice", "bob"]);
  await say(room, "bob", "Hello");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  await box.fill("Before that");
  await box.press("Enter");
  await box.pressSequentially("/m");
  await expect(alice.getByRole("option", { name: /^\/me/ })).toBeVisible();
  await alice.keyboard.press("Tab");
  await box.pressSequentially("waves **twice**");
  await box.press("Enter");
  const act = messageRow(timeline(alice, room.title), "waves");
  await expect(act.getByRole("link", { name: /^\d/ })).toBeVisible();
  await box.fill("After that");
  await box.press("Enter");
  // The action is one line that begins with its author, without another name above it.
  await expect(act.getByRole("button", { name: "alice", exact: true })).toBeVisible();
  await expect(act).toContainText(/^alice waves twice/);
  await expect(act.locator("strong")).toHaveText("twice");
  await expect(act.getByText("waves")).toHaveCSS("font-style", "italic");
  const after = messageRow(timeline(alice, room.title), "After that");
  await expect(after.getByRole("button", { name: "alice", exact: true })).toBeVisible();
  const known = await room.people.get("bob")?.mattermost("GET", `/channels/${room.id}/posts`);
  const kept = Object.values<{ type: string; message: string }>(known?.posts).map((post) => [
    post.type,
    post.message,
  ]);
  expect(kept).toContainEqual(["me", "*waves **twice***"]);
  await chooseOnMessage(alice, act, strings.message.edit);
  const edit = alice.getByRole("textbox", { name: strings.message.edit });
  await expect(edit).toHaveValue("waves **twice**");
  await edit.fill("bows");
  await edit.press("Enter");
  await expect(messageRow(timeline(alice, room.title), "alice bows")).toContainText(strings.message.edited);

  await box.fill("/me");
  await box.press("Escape");
  await box.press("Enter");
  await expect(alice.getByText(strings.composer.emptyAct)).toBeVisible();
  await box.fill("/tpi @bob 0.25");
  await box.press("Enter");
  await expect(alice.getByText(strings.composer.unknownCommand("tpi"))).toBeVisible();
  await expect(box).toHaveValue("/tpi @bob 0.25");
  await box.fill(" /shrug");
  await box.press("Enter");
  await expect(timeline(alice, room.title).getByText("/shrug", { exact: true })).toBeVisible();
  await expect(timeline(alice, room.title).getByText("/tpi")).toHaveCount(0);

  await box.pressSequentially("/tip");
  await expect(alice.getByRole("option", { name: /^\/tip/ })).toBeVisible();
  await box.press("Escape");
  await box.press("Enter");
  await expect(alice.getByText(strings.composer.malformedTip(null))).toBeVisible();
  await box.fill("/tip @bob");
  await expect(alice.getByRole("option", { name: /bob/ })).toBeVisible();
  await box.press("Enter");
  await expect(box).toHaveValue("/tip @bob ");
  await box.pressSequentially("much");
  await box.press("Enter");
  await expect(alice.getByText(strings.composer.malformedTip("much"))).toBeVisible();
  await box.fill("/tip @bob 0.25");
  await box.press("Enter");
  const tip = alice.getByRole("dialog", { name: pay.tip.title("bob") });
  await expect(tip.getByRole("textbox", { name: pay.tip.otherLabel })).toHaveValue("0.250");
  await expect(tip.getByRole("radio", { name: pay.tip.other })).toBeFocused();
  await alice.keyboard.press("Escape");
  await expect(box).toBeFocused();
  await expect(box).toHaveValue("");
  await expect(timeline(alice, room.title).getByText("/tip")).toHaveCount(0);
});

test("the arrow keys move between messages, and Tab moves to a message's actions", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Arrow Room", ["alice", "bob"]);
  for (const text of ["First", "Second", "Third"]) await say(room, "bob", `${text} of three`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  await expect(messageRow(log, "Third of three")).toBeVisible();
  await log.focus();
  await alice.keyboard.press("ArrowUp");
  await expect(messageRow(log, "Third of three")).toBeFocused();
  await alice.keyboard.press("ArrowUp");
  await alice.keyboard.press("ArrowUp");
  await expect(messageRow(log, "First of three")).toBeFocused();
  await alice.keyboard.press("ArrowDown");
  const second = messageRow(log, "Second of three");
  await expect(second).toBeFocused();
  await expect(second.getByRole("toolbar")).toBeVisible();
  await expect(log.getByRole("toolbar")).toHaveCount(1);
  await alice.keyboard.press("Tab");
  await expect(second.locator(":focus")).toHaveCount(1);
  await alice.keyboard.press("ArrowUp");
  await expect(messageRow(log, "First of three")).toBeFocused();
});

test("undo reverts a mark, a name and an emoji like typed text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Undo Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const box = composer(alice, room.title);
  const undo = async (left: string) => {
    await box.press("Control+z");
    await expect(box).toHaveValue(left);
  };
  await box.pressSequentially("loud");
  await box.press("Control+a");
  await box.press("Control+b");
  await expect(box).toHaveValue("**loud**");
  await undo("loud");
  await alice.getByRole("button", { name: strings.composer.formatting }).click();
  await box.press("Control+a");
  await alice.getByRole("button", { name: strings.composer.format.quote, exact: true }).click();
  await expect(box).toHaveValue("> loud");
  await undo("loud");
  await box.press("End");
  await box.pressSequentially(" @bo");
  await alice.getByRole("option", { name: "bob" }).click();
  await expect(box).toHaveValue("loud @bob ");
  await undo("loud @bo");
  await alice.getByRole("button", { name: strings.composer.emoji, exact: true }).click();
  await alice.getByRole("gridcell").first().click();
  await expect(box).not.toHaveValue("loud @bo");
  await expect(box).toBeFocused();
  await undo("loud @bo");
});
