import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { createApiPerson } from "./support/api-person.ts";
import { chooseOnMessage, messageRow, pressOnMessage, timeline } from "./support/chat-page.ts";
import { expect, test } from "./support/test.ts";

const PHOTOGRAPHY = "Photography";

test("a moderator deletes another user's message and sees why this is possible", async ({ openAs, url }) => {
  const bob = await createApiPerson(url, "bob");
  const { channels } = await bob.chat("GET", "/channels");
  const { id } = channels.find((channel: { name: string }) => channel.name === "hive-100001");
  await bob.chat("POST", `/channels/${id}/posts`, { message: "Buy my lenses, now half price" });

  const alice = await openAs("alice", `/chat/${id}`);
  const carol = await openAs("carol", `/chat/${id}`);
  const row = messageRow(timeline(carol, PHOTOGRAPHY), "half price");
  await chooseOnMessage(carol, row, strings.message.remove);
  await expect(carol.getByText(strings.message.removeAsModerator)).toBeVisible();
  await carol
    .getByRole("dialog")
    .or(carol.getByRole("alertdialog"))
    .getByRole("button", { name: strings.message.remove })
    .click();
  await expect(timeline(carol, PHOTOGRAPHY).getByText("half price")).toBeHidden();
  await expect(timeline(alice, PHOTOGRAPHY).getByText("half price")).toBeHidden();
});

test("another user's message offers no deletion to a user without moderation rights", async ({
  openAs,
  url,
}) => {
  const alice = await createApiPerson(url, "alice");
  const { channels } = await alice.chat("GET", "/channels");
  const { id } = channels.find((channel: { name: string }) => channel.name === "hive-100001");
  await alice.chat("POST", `/channels/${id}/posts`, { message: "Mine to keep" });
  const bob = await openAs("bob", `/chat/${id}`);
  await pressOnMessage(messageRow(timeline(bob, PHOTOGRAPHY), "Mine to keep"), strings.message.more);
  await expect(bob.getByRole("menuitem", { name: strings.message.copyLink })).toBeVisible();
  await expect(bob.getByRole("menuitem", { name: strings.message.remove, exact: true })).toBeHidden();
});
