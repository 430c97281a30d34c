import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { createApiPerson } from "./support/api-person.ts";
import { composer, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { mattermostAnswers } from "./support/outside-team.ts";
import { expect, test } from "./support/test.ts";

const { start } = strings.timeline;

test("the beginning of a channel shows its name and purpose and leads to the first message", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Fresh Room", ["alice", "bob"]);
  const purpose = "For **everything** that is new";
  await room.people.get("alice")?.mattermost("PUT", `/channels/${room.id}/patch`, { purpose });
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(list.getByRole("heading", { name: start.heading.O(room.title) })).toBeVisible();
  await expect(list.locator("strong").first()).toHaveText("everything");
  await expect(list).toContainText(start.readers.O);

  await list.getByRole("button", { name: start.invite }).click();
  await expect(alice.getByText(strings.channel.linkCopied)).toBeVisible();
  const copied = await alice.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(`${url}/chat/${room.id}`);

  await list.getByRole("button", { name: start.write }).press("Enter");
  await expect(composer(alice, room.title)).toBeFocused();
  await write(alice, room.title, "First!");
  await expect(list.getByText("First!")).toBeVisible();
  await expect(list.getByRole("button", { name: start.write })).toBeHidden();
  await expect(list.getByRole("heading", { name: start.heading.O(room.title) })).toBeVisible();
});

test("the beginning of a private channel says who can read it, and offers no link", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Hidden Room", ["alice", "bob"], "P");
  await say(room, "bob", "Between us");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(list.getByRole("heading", { name: start.heading.P(room.title) })).toBeVisible();
  await expect(list).toContainText(start.readers.P);
  await expect(list.getByRole("button", { name: start.invite })).toBeHidden();
  await expect(list.getByRole("button", { name: start.write })).toBeHidden();
});

test("the beginning of a conversation shows the partner's card and leads to the first message", async ({
  openAs,
  url,
}) => {
  const dave = await createApiPerson(url, "dave");
  await createApiPerson(url, "erin");
  const { channelId } = await dave.chat("POST", "/direct", { username: "erin" });
  const page = await openAs("dave", `/chat/${channelId}`);
  const list = timeline(page, "erin");
  await expect(list.getByRole("heading", { name: start.heading.D("erin") })).toBeVisible();
  await expect(list).toContainText(start.readers.D);
  await list.getByRole("button", { name: strings.message.profileOf("erin") }).click();
  await expect(page.getByRole("dialog", { name: "@erin" })).toBeVisible();
  await page.keyboard.press("Escape");
  await list.getByRole("button", { name: start.greet("erin") }).click();
  await expect(composer(page, "erin")).toBeFocused();
  await expect(list.getByRole("button", { name: start.invite })).toBeHidden();
});

test("a guest is not asked to write a channel's first message", async ({ openAs, url }) => {
  test.skip(!mattermostAnswers().readsAsGuest, "only members read a channel there");
  const room = await createRoom(url, "Window Room", ["alice"]);
  const erin = await openAs("erin", `/chat/${room.id}`);
  const list = timeline(erin, room.title);
  await expect(list.getByRole("heading", { name: start.heading.O(room.title) })).toBeVisible();
  await expect(list.getByRole("button", { name: start.write })).toBeHidden();
  await erin.getByRole("button", { name: strings.channel.join }).click();
  await waitForChannel(erin, room.title);
  await expect(list.getByRole("button", { name: start.write })).toBeVisible();
});
