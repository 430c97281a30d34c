import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  chooseOnMessage,
  expectAtRest,
  messageRow,
  pointAt,
  replyBox,
  threadPanel,
  timeline,
} from "./support/chat-page.ts";
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

/** Returns the upper edge of a message's first line of text. */
const textTopOf = (row: Locator) =>
  row
    .locator("[dir=auto]")
    .first()
    .evaluate((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return Math.min(...[...range.getClientRects()].map(({ top }) => top));
    });

for (const width of [1280, 700])
  test(`in a window ${width} px wide, the actions of a message cover none of its text, and the mouse reaches them`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, "Long Line Room", ["alice", "bob"]);
    const lines = ["Opening", "Following", "Closing"].map(
      (word) => `${word} ${"words that fill the whole line and then the next one ".repeat(5)}`,
    );
    for (const text of lines) await say(room, "bob", text);
    const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width, height: 800 } });
    const log = timeline(alice, room.title);
    for (const word of ["Opening", "Following", "Closing"]) {
      const row = messageRow(log, word);
      const bar = row.getByRole("toolbar", { name: strings.message.actions });
      await pointAt(row);
      await expect(bar).toHaveCSS("opacity", "1");
      const place = await boxOf(bar);
      expect(place.bottom).toBeLessThanOrEqual(await textTopOf(row));
      const view = await boxOf(log);
      expect(place.y).toBeGreaterThanOrEqual(view.y);
      expect(place.right).toBeLessThanOrEqual(view.right);

      const { x, width: across, y, height } = place;
      await alice.mouse.move(x + across / 2, (await boxOf(row)).bottom - 6);
      await alice.mouse.move(x + across / 2, y + height / 2, { steps: 40 });
      await expect(bar).toHaveCSS("opacity", "1");
    }
  });

test("the actions of a message at the upper edge of its list stay in view", async ({ openAs, url }) => {
  const room = await createRoom(url, "Upper Edge Room", ["alice", "bob"]);
  for (let line = 1; line <= 40; line += 1) await say(room, "bob", `Line ${line}.`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const log = timeline(alice, room.title);
  const row = messageRow(log, "Line 20.");
  const bar = row.getByRole("toolbar", { name: strings.message.actions });
  await expectAtRest(messageRow(log, "Line 40."));
  await row.evaluate((element) => element.scrollIntoView({ block: "start" }));
  await pointAt(row);
  const view = await boxOf(log);
  await expect.poll(async () => (await boxOf(bar)).y).toBeGreaterThanOrEqual(view.y);
  await row.getByRole("button", { name: strings.message.more }).click();
  await alice.keyboard.press("Escape");

  await messageRow(log, "Line 30.").evaluate((element) => element.focus());
  for (let step = 0; step < 15; step += 1) await alice.keyboard.press("ArrowUp");
  const focused = messageRow(log, "Line 15.");
  const shown = focused.getByRole("toolbar", { name: strings.message.actions });
  await expect(shown).toHaveCSS("opacity", "1");
  await expect.poll(async () => (await boxOf(shown)).y).toBeGreaterThanOrEqual(view.y);
  expect((await boxOf(shown)).bottom).toBeLessThanOrEqual(await textTopOf(focused));
});

test("the actions of the message that began a thread cover none of its text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Began Room", ["alice", "bob"]);
  const root = await say(room, "bob", "Words that fill the whole line and then the next one. ".repeat(4));
  const alice = await openAs("alice", `/chat/${room.id}?thread=${root.id}`);
  await expect(replyBox(alice)).toBeVisible();
  const row = messageRow(threadPanel(alice), "Words that fill").first();
  const bar = row.getByRole("toolbar", { name: strings.message.actions });
  await pointAt(row);
  await expect(bar).toHaveCSS("opacity", "1");
  expect((await boxOf(bar)).bottom).toBeLessThanOrEqual(await textTopOf(row));
});
