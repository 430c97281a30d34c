import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { chooseOnMessage, messageRow, pointAt, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

test("one message at a time shows its actions: the hovered one, or during Tab navigation the focused one", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "One Bar Room", ["alice", "bob"]);
  await say(room, "bob", "First of all");
  await say(room, "bob", "Second to none");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  const barOf = (text: string) =>
    messageRow(log, text).getByRole("toolbar", { name: strings.message.actions });
  const first = messageRow(log, "First of all").getByRole("link");
  await first.focus();
  await expect(barOf("First of all")).toHaveCSS("opacity", "1");

  await pointAt(messageRow(log, "Second to none"));
  await expect(barOf("Second to none")).toHaveCSS("opacity", "1");
  await expect(barOf("First of all")).toHaveCSS("opacity", "0");
  await expect(first).toBeFocused();

  await alice.keyboard.press("Tab");
  await expect(barOf("First of all")).toHaveCSS("opacity", "1");
  await expect(barOf("Second to none")).toHaveCount(0);
});

test("an open menu keeps its message's actions in view, and hides those of others", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Open Menu Room", ["alice", "bob"]);
  for (const text of ["Top line", "Middle line", "Bottom line"]) await say(room, "bob", text);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  const row = messageRow(log, "Bottom line");
  await pointAt(row);
  await row.getByRole("button", { name: strings.message.more }).click();
  await expect(alice.getByRole("menu")).toBeVisible();
  await messageRow(log, "Top line").hover();
  await expect(log.getByRole("toolbar")).toHaveCount(1);
  await expect(row.getByRole("toolbar")).toBeVisible();
});

test("a message's menu copies its text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Quill Room", ["alice", "bob"]);
  await say(room, "bob", "Worth _quoting_");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await chooseOnMessage(
    alice,
    messageRow(timeline(alice, room.title), "Worth quoting"),
    strings.message.copyText,
  );
  await expect(alice.getByText(strings.message.textCopied)).toBeVisible();
  expect(await alice.evaluate(() => navigator.clipboard.readText())).toBe("Worth _quoting_");
});
