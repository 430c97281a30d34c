import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { messageRow, pointAt, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { expect, test } from "./support/test.ts";

test("a message's menu names everyone who reacted, and both names of an emoji share one chip", async ({
  openAs,
  url,
}) => {
  const people = ["alice", "bob", "erin"];
  const room = await createRoom(url, "Reaction Room", people);
  const { id } = await say(room, "bob", "Who is for it?");
  for (const [name, emoji] of [
    ["bob", "+1"],
    ["erin", "thumbsup"],
    ["erin", "wave_medium_skin_tone"],
  ] as const) {
    const person = room.people.get(name);
    const reaction = { user_id: person?.userId, post_id: id, emoji_name: emoji };
    await person?.mattermost("POST", "/reactions", reaction);
  }
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Who is for it?");
  const chip = row.getByRole("button", { name: strings.message.toggle("+1", 2) });
  await expect(chip).toHaveText("👍2");
  await expect(
    row.getByRole("button", { name: strings.message.toggle("wave_medium_skin_tone", 1) }),
  ).toHaveText("👋🏽1");
  await pointAt(row);
  await row.getByRole("button", { name: strings.message.more }).click();
  await alice.getByRole("menuitem", { name: strings.message.reactions }).click();
  const dialog = alice.getByRole("dialog", { name: strings.message.reactions });
  const thumbs = dialog.getByRole("region", { name: strings.message.toggle("+1", 2) });
  await expect(thumbs.getByRole("listitem")).toHaveText([/bob/, /erin/]);
  await expectNothingSeriousInBothThemes(alice, "who reacted");
  await alice.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  // The user's reaction is removed under the name with which it was added.
  await chip.click();
  const three = row.getByRole("button", { name: strings.message.toggle("+1", 3) });
  await expect(three).toHaveAttribute("aria-pressed", "true");
  await three.click();
  await expect(chip).toHaveAttribute("aria-pressed", "false");
});
