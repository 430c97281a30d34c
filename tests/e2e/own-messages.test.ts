import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import {
  chooseOnMessage,
  composer,
  messageRow,
  pressOnMessage,
  timeline,
  waitForChannel,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("an edited message changes for both people, and is marked as edited", async ({ openAs, url }) => {
  const room = await createRoom(url, "Edit Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(bob, room.title);
  await write(alice, room.title, "The meeting is at fvie");
  await expect(timeline(bob, room.title).getByText("at fvie")).toBeVisible();

  await composer(alice, room.title).press("ArrowUp");
  await alice.getByRole("textbox", { name: strings.message.edit }).fill("The meeting is at five");
  await expectNothingSeriousInBothThemes(alice, "a message that is edited");
  await alice.keyboard.press("Enter");
  for (const page of [alice, bob]) {
    const row = messageRow(timeline(page, room.title), "The meeting is at five");
    await expect(row).toBeVisible();
    await expect(row.getByText(strings.message.edited)).toBeVisible();
  }
  await expect(timeline(bob, room.title).getByText("at fvie")).toBeHidden();
});

test("deleting a message asks first, and removes it for both people", async ({ openAs, url }) => {
  const room = await createRoom(url, "Delete Room", ["alice", "bob"]);
  await say(room, "alice", "Forget what I said");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect(timeline(bob, room.title).getByText("Forget what I said")).toBeVisible();

  const row = messageRow(timeline(alice, room.title), "Forget what I said");
  await chooseOnMessage(alice, row, strings.message.remove);
  await alice.getByRole("button", { name: strings.message.cancel }).click();
  await expect(row).toBeVisible();
  await chooseOnMessage(alice, row, strings.message.remove);
  await alice
    .getByRole("dialog", { name: strings.message.removeTitle })
    .getByRole("button", { name: strings.message.remove })
    .click();
  await expect(timeline(alice, room.title).getByText("Forget what I said")).toBeHidden();
  await expect(timeline(bob, room.title).getByText("Forget what I said")).toBeHidden();
});

test("a deletion can be undone for a while, and leaving the page completes it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Undo Room", ["alice", "bob"]);
  await say(room, "alice", "Said in haste");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  const said = timeline(alice, room.title).getByText("Said in haste");
  const remove = async () => {
    await chooseOnMessage(
      alice,
      messageRow(timeline(alice, room.title), "Said in haste"),
      strings.message.remove,
    );
    await alice.getByRole("dialog").getByRole("button", { name: strings.message.remove }).click();
    await expect(said).toBeHidden();
  };
  await remove();
  const undo = timeline(alice, room.title).getByRole("button", { name: strings.message.undo });
  await expect(undo).toBeFocused();
  await undo.press("Enter");
  await expect(said).toBeVisible();
  await expect(timeline(bob, room.title).getByText("Said in haste")).toBeVisible();

  await remove();
  await expectNothingSerious(alice, "a deletion that can be taken back");
  await alice.goto("about:blank");
  await expect(timeline(bob, room.title).getByText("Said in haste")).toBeHidden();
});

test("a sign-out that is waiting for a deletion says so", async ({ openAs, url }) => {
  const room = await createRoom(url, "Leaving Room", ["alice", "bob"]);
  await say(room, "alice", "Gone before me");
  const alice = await openAs("alice", `/chat/${room.id}`);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await alice.route("**/api/chat/channels/*/posts/*", async (route) => {
    if (route.request().method() === "DELETE") await held;
    await route.continue();
  });
  await alice.route("**/api/chat/logout", (route) =>
    route.fulfill({ status: 502, json: { error: "Away.", code: "backend_unreachable" } }),
  );
  const row = messageRow(timeline(alice, room.title), "Gone before me");
  await chooseOnMessage(alice, row, strings.message.remove);
  await alice.getByRole("dialog").getByRole("button", { name: strings.message.remove }).click();
  await alice.getByRole("button", { name: strings.account.menu("alice") }).click();
  await alice.getByRole("menuitem", { name: strings.account.signOut }).click();
  await expect(alice.getByText(strings.account.deletesFirst)).toBeVisible();
  letGo();
  await expect(alice.getByText(strings.account.stillSignedIn("").trim())).toBeVisible();
});

test("editing and deleting are not offered for messages of others", async ({ openAs, url }) => {
  const room = await createRoom(url, "Others Room", ["alice", "bob"]);
  await say(room, "alice", "This is mine");
  const bob = await openAs("bob", `/chat/${room.id}`);
  await pressOnMessage(messageRow(timeline(bob, room.title), "This is mine"), strings.message.more);
  await expect(bob.getByRole("menuitem", { name: strings.message.copyLink })).toBeVisible();
  await expect(bob.getByRole("menuitem", { name: strings.message.edit, exact: true })).toBeHidden();
  await expect(bob.getByRole("menuitem", { name: strings.message.remove, exact: true })).toBeHidden();
});

test("the confirmation of a deletion shows the message as the timeline does, shortened if long", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Quoting Room", ["alice", "bob"]);
  const text = "Some **bold** words for @alice :tada:\n```\nlet it = be;\n```\n";
  await say(room, "alice", `${text}${"And one more line.\n".repeat(60)}The end.`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Some bold words");
  await chooseOnMessage(alice, row, strings.message.remove);
  const dialog = alice.getByRole("dialog", { name: strings.message.removeTitle });
  const quote = dialog.getByRole("blockquote", { name: strings.message.removed });
  await expect(quote.locator("strong")).toHaveText("bold");
  await expect(quote.locator("pre")).toHaveText(/let it = be;/);
  await expect(quote).toContainText("🎉");
  await expect(quote).not.toContainText("**");
  await expect(quote).not.toContainText("The end.");
  await expect(dialog.getByRole("button", { name: strings.message.remove, exact: true })).toBeFocused();
  await expect(dialog.getByRole("button", { name: strings.message.remove, exact: true })).toBeInViewport();
});
