import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { chooseOnMessage, messageRow, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("a pinned message is marked and counted for both people, and listed until it is unpinned", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Pin Board", ["alice", "bob"]);
  const door = await say(room, "bob", "The door code is on the fridge");
  let newest = "";
  for (let index = 0; index < 60; index += 1)
    newest = (await say(room, "bob", `Line ${index}\n\nof talk`)).id;
  // A channel without unread messages opens at its end.
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  for (const page of [alice, bob]) await waitForChannel(page, room.title);
  const last = messageRow(timeline(alice, room.title), "Line 59");
  await chooseOnMessage(alice, last, strings.message.pin);
  for (const page of [alice, bob]) {
    await expect(messageRow(timeline(page, room.title), "Line 59")).toContainText(strings.message.pinned);
    await expect(page.getByRole("button", { name: strings.pinned.count(1) })).toBeVisible();
  }
  await room.people.get("bob")?.chat("POST", `/channels/${room.id}/posts/${door.id}/pin`, { pin: true });

  await alice.getByRole("button", { name: strings.pinned.count(2) }).click();
  const list = alice.getByRole("list", { name: strings.pinned.title });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await expectNothingSerious(alice, "pinned messages");
  await list.getByRole("link", { name: /The door code/ }).click();
  await expect(messageRow(timeline(alice, room.title), "The door code")).toBeInViewport();

  await list
    .getByRole("listitem")
    .filter({ hasText: "The door code" })
    .getByRole("button", { name: strings.message.unpin })
    .click();
  await expect(list.getByRole("listitem")).toHaveCount(1);
  await expect(bob.getByRole("button", { name: strings.pinned.count(1) })).toBeVisible();
  await room.people.get("bob")?.chat("DELETE", `/channels/${room.id}/posts/${newest}`);
  await expect(alice.getByText(strings.pinned.none)).toBeVisible();
  await expect(bob.getByRole("button", { name: strings.pinned.count(1) })).toBeHidden();
});

test("a pin that the server refuses is undone, and a message says so", async ({ openAs, url }) => {
  const room = await createRoom(url, "Refused Pin", ["alice"]);
  await say(room, "alice", "Hold this");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await alice.route("**/pin", (route) =>
    route.fulfill({ status: 409, json: { error: "Not now.", code: "conflict" } }),
  );
  const row = messageRow(timeline(alice, room.title), "Hold this");
  await chooseOnMessage(alice, row, strings.message.pin);
  await expect(alice.getByText(session.problems.conflict ?? "")).toBeVisible();
  await expect(row).not.toContainText(strings.message.pinned);
});
