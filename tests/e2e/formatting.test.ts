import type { Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  messageRow,
  openEachByKeys,
  pressOnMessage,
  replyBox,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const CODE = 'const total = 3; // fresh\nreturn "paid";';

test("a code block names its language, is coloured, and copies its exact text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Code Room", ["alice", "bob"]);
  await say(room, "bob", `Look:\n\`\`\`ts\n${CODE}\n\`\`\``);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Look:");
  const block = row.locator("pre");
  await expect(block).toHaveCSS("font-size", "13px");
  await expect(block).toHaveCSS("line-height", "20px");
  await expect(row.getByText("ts", { exact: true })).toBeVisible();
  const colourOf = (text: string) =>
    block.getByText(text, { exact: true }).evaluate((element) => getComputedStyle(element).color);
  const colours = [await colourOf("const"), await colourOf("// fresh"), await colourOf('"paid"')];
  expect(new Set(colours).size).toBe(3);
  await row.getByRole("button", { name: strings.message.copyCode }).click();
  await expect(alice.getByText(strings.message.codeCopied)).toBeVisible();
  expect(await alice.evaluate(() => navigator.clipboard.readText())).toBe(CODE);
});

test("a wide table scrolls separately, even by keyboard, and breaks no number", async ({ openAs, url }) => {
  const room = await createRoom(url, "Table Room", ["alice", "bob"]);
  const names = Array.from({ length: 14 }, (_, index) => `Column ${index}`);
  const cells = names.map(() => "-1 234.567 HBD");
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  await say(room, "bob", [line(names), line(names.map(() => "---")), line(cells)].join("\n"));
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 390, height: 800 } });
  const row = messageRow(timeline(alice, room.title), "Column 0");
  const cell = row.getByRole("cell").first();
  await expect(cell).toBeVisible();
  const lines = await cell.evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getClientRects().length;
  });
  expect(lines).toBe(1);
  const scroller = row.getByRole("region", { name: strings.message.table });
  await scroller.focus();
  await alice.keyboard.press("ArrowRight");
  await expect.poll(() => scroller.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect(await alice.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test("a number inside a multi-line cell is not broken", async ({ openAs, url }) => {
  const room = await createRoom(url, "Long Cell Room", ["alice", "bob"]);
  const figures = ["-1 234 567.890 HBD", "99 %", "+34 600 000 000", "2026-11-23 12:30", "$5", "7 kB"];
  const words = Array.from({ length: 8 }, (_, index) => figures.join(` ${"a".repeat(index + 1)} `)).join(
    " or ",
  );
  await say(room, "bob", `| What it came to |\n| --- |\n| In all ${words} by **19 500 HIVE** |`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const cell = messageRow(timeline(alice, room.title), "What it came to").getByRole("cell");
  await expect(cell).toBeVisible();
  const broken = await cell.evaluate(
    (element, wanted) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const places: Array<[Node, number]> = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode())
        for (let at = 0; at < (node.textContent ?? "").length; at += 1) places.push([node, at]);
      const text = places.map(([node, at]) => node.textContent?.[at]).join("");
      const tops = (start: number, end: number) =>
        places.slice(start, end).map(([node, at]) => {
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return Math.round(range.getBoundingClientRect().top);
        });
      return wanted.flatMap((figure) => {
        const found = [];
        for (let at = text.indexOf(figure); at >= 0; at = text.indexOf(figure, at + 1))
          if (new Set(tops(at, at + figure.length)).size > 1) found.push(figure);
        return text.includes(figure) ? found : [`${figure} is not there`];
      });
    },
    [...figures, "19 500 HIVE"],
  );
  expect(broken).toEqual([]);
  expect((await boxOf(cell)).width).toBeLessThanOrEqual(321);
});

test("a message numbers its footnotes below it, and links only to its own", async ({ openAs, url }) => {
  const room = await createRoom(url, "Footnote Room", ["alice", "bob"]);
  for (const time of ["First", "Second"])
    await say(
      room,
      "bob",
      `${time} claim[^1] and another[^b].\n\n[^1]: A source\n[^b]: See [there](https://example.com)`,
    );
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Second claim");
  await expect(row.locator("sup")).toHaveText(["1", "2"]);
  await expect(row.getByRole("listitem")).toHaveText(["A source", "See there"]);
  await expect(row.locator("[dir=auto] a")).toHaveText(["there"]);
  const ids = await alice.locator("[data-post] [id]").evaluateAll((all) => all.map(({ id }) => id));
  expect(ids.filter((id) => id.includes("fn"))).toEqual([]);
});

test("on a wide screen a message's lines are at most 760 px wide, and the composer stays within them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Wide Room", ["alice", "bob"]);
  await say(room, "bob", "wide ".repeat(200));
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 1920, height: 900 } });
  const text = messageRow(timeline(alice, room.title), "wide").locator("[dir=auto]").first();
  await expect(text).toBeVisible();
  const box = await boxOf(text);
  expect(box.width).toBeLessThanOrEqual(760);
  const field = await boxOf(alice.locator("textarea[data-composer]"));
  expect(field.width).toBeLessThanOrEqual(820);
  expect(field.right).toBeLessThanOrEqual(box.right);
});

const SIZES = [12, 13, 15, 16, 20, 28];

/** Returns the font sizes of a page that are not part of the scale, each with a sample text. */
const strayTexts = (page: Page) =>
  page.evaluate((sizes) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = new Set<string>();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const place = node.parentElement;
      if (
        !place?.checkVisibility() ||
        !node.textContent?.trim() ||
        place.closest("script, style, next-route-announcer")
      )
        continue;
      const size = Number.parseFloat(getComputedStyle(place).fontSize);
      if (!sizes.includes(size)) found.add(`${size}: ${node.textContent.slice(0, 40)}`);
    }
    return [...found];
  }, SIZES);

test("all text has one of six sizes", async ({ page, openAs, url }) => {
  const article = "/articles/three-seconds-and-no-fee";
  const account = "/payments?account=alice";
  for (const path of ["/", "/chat", "/articles", article, account, "/settings", "/reference", "/docs"]) {
    await page.goto(path, { waitUntil: "networkidle" });
    expect(await strayTexts(page), path).toEqual([]);
  }
  const room = await createRoom(url, "Scale Room", ["alice", "bob"]);
  await say(
    room,
    "bob",
    "# Title\n**bold** and `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nA note[^1].\n\n[^1]: Below.",
  );
  await say(room, "bob", "🎉");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await expect(timeline(alice, room.title).getByRole("table")).toBeVisible();
  expect(await strayTexts(alice), "chat").toEqual([]);
  await openEachByKeys(alice, async (keys) => expect(await strayTexts(alice), keys).toEqual([]));
  await pressOnMessage(messageRow(timeline(alice, room.title), "bold and"), strings.message.reply);
  await expect(replyBox(alice)).toBeVisible();
  expect(await strayTexts(alice), "a thread").toEqual([]);
});
