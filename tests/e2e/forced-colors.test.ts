import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { channelLink, messageRow, pressOnMessage, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const isMarked = (place: Locator) => expect(place).toHaveCSS("outline-style", "solid");
const isPlain = (place: Locator) => expect(place).toHaveCSS("outline-style", "none");

test("the selection and the buttons are visible in forced colours", async ({ openAs, url }) => {
  const other = await createRoom(url, "Plain Room", ["alice"]);
  const room = await createRoom(url, "Contrast Room", ["alice", "bob"]);
  const post = await say(room, "bob", "Look at me");
  for (const emoji of ["tada", "heart"])
    await room.people
      .get(emoji === "tada" ? "alice" : "bob")
      ?.chat("POST", `/channels/${room.id}/posts/${post.id}/reactions`, { emoji, add: true });
  const alice = await openAs("alice", "/");
  await alice.emulateMedia({ forcedColors: "active" });
  const first = alice.getByRole("link", { name: landing.signedIn.continue("alice") });
  await expect(first).toHaveCSS("border-top-width", "1px");
  await alice.goto(`/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Look at me");
  await isMarked(channelLink(alice, room.title));
  await isPlain(channelLink(alice, other.title));
  await isMarked(row.getByRole("button", { name: strings.message.toggle("tada", 1) }));
  await isPlain(row.getByRole("button", { name: strings.message.toggle("heart", 1) }));

  await pressOnMessage(row, strings.message.more);
  await alice.keyboard.press("ArrowDown");
  const items = alice.getByRole("menu").locator("[role=menuitem]");
  await isMarked(alice.getByRole("menu").locator("[role=menuitem][data-highlighted]"));
  await isPlain(items.last());
  await alice.keyboard.press("Escape");

  await alice.keyboard.press("Control+k");
  const options = alice.getByRole("dialog", { name: strings.finder.title }).getByRole("option");
  await isMarked(options.first());
  await isPlain(options.nth(1));
  await alice.keyboard.press("Escape");

  await row.getByRole("button", { name: "bob", exact: true }).click();
  await alice.getByRole("button", { name: strings.profile.tip }).click();
  const tip = alice.getByRole("dialog", { name: pay.tip.title("bob") });
  await isMarked(tip.locator("label").filter({ hasText: "0.010" }));
  await isPlain(tip.locator("label").filter({ hasText: "0.050" }));
});
