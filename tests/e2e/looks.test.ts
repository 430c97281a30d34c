import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as landing } from "../../app/(demo)/_landing/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import {
  channelLink,
  chooseOnMessage,
  composer,
  messageRow,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const styleOf = (place: Locator, name: "backgroundColor" | "outlineColor" | "textAlign") =>
  place.evaluate((element, style) => getComputedStyle(element)[style], name);

test("the accent colour marks primary actions and the reader's own name, not selection, unread rows or focus", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Accent Room", ["alice", "bob"]);
  const other = await createRoom(url, "Unread Accent Room", ["alice", "bob"]);
  const post = await say(room, "bob", "@alice and @carol");
  await say(other, "bob", "News");
  const alice = await openAs("alice", "/");
  const first = alice.getByRole("link", { name: landing.signedIn.continue("alice") });
  const accent = await styleOf(first, "backgroundColor");
  const emoji = /"Apple Color Emoji".*"Segoe UI Emoji".*"Noto Color Emoji"/;
  await expect(alice.locator("body")).toHaveCSS("font-family", emoji);
  await alice.goto(`/chat/${room.id}?post=${post.id}`);
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "and");
  expect(await styleOf(row.locator("mark"), "backgroundColor")).toBe(accent);
  const send = alice.getByRole("button", { name: strings.composer.send });
  const formatting = alice.getByRole("button", { name: strings.composer.formatting });
  await formatting.click();
  expect(await styleOf(send, "backgroundColor")).not.toBe(accent);
  await composer(alice, room.title).fill("Something to send");
  await expect(send).toHaveCSS("background-color", accent);
  const pressed = await styleOf(formatting, "backgroundColor");
  await alice.getByRole("button", { name: strings.mentions.title }).click();
  const named = alice
    .getByRole("list", { name: strings.mentions.title })
    .getByRole("link", { name: "@alice and @carol" });
  await expect(named.locator("mark")).toHaveCSS("background-color", accent);
  await alice.keyboard.press("Escape");
  const chosen = await styleOf(channelLink(alice, room.title), "backgroundColor");
  const dot = channelLink(alice, other.title).locator("span.rounded-full").last();
  const box = composer(alice, room.title).locator("xpath=ancestor::div[contains(@class, 'focus-within')]");
  await composer(alice, room.title).focus();
  const rgbOf = (colour: string) => (/\d+(?:, \d+){2}/.exec(colour)?.[0] ?? "").split(", ").map(Number);
  const [red = 0, , blue = 0] = rgbOf(accent);
  expect(red - blue).toBeGreaterThan(100);
  for (const colour of [
    chosen,
    pressed,
    await styleOf(row, "backgroundColor"),
    await styleOf(row.getByText("@carol"), "backgroundColor"),
    await styleOf(dot, "backgroundColor"),
    await styleOf(box, "outlineColor"),
  ]) {
    const [redder = 0, , bluer = 0] = rgbOf(colour);
    expect(redder - bluer, colour).toBeLessThan(40);
  }
});

test("a toast is a pill with a button that dismisses it", async ({ openAs, url }) => {
  const room = await createRoom(url, "Pill Room", ["alice", "bob"]);
  await say(room, "bob", "Copy me");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Copy me");
  await chooseOnMessage(alice, row, strings.message.copyText);
  const toast = alice.locator("[data-sonner-toast]");
  await expect(toast).toContainText(strings.message.textCopied);
  await expect(toast).toHaveCSS("transform", /matrix\(1, 0, 0, 1, 0, 0\)|none/);
  const pill = await boxOf(toast);
  const cross = await boxOf(toast.getByRole("button"));
  expect(pill.width).toBeLessThan(240);
  expect(
    await toast.evaluate((element) => Number.parseFloat(getComputedStyle(element).borderRadius)),
  ).toBeGreaterThanOrEqual(20);
  expect(cross.x).toBeGreaterThan(pill.x);
  expect(cross.right).toBeLessThanOrEqual(pill.right);
  expect(cross.y).toBeGreaterThanOrEqual(pill.y);
  await toast.getByRole("button").click();
  await expect(toast).toBeHidden();
});

test("people without a picture have the same pattern on the landing page and in the chat, and no letter", async ({
  page,
  url,
  openAs,
}) => {
  await page.goto("/");
  const door = page.getByRole("button", { name: session.sandbox.signInAs("alice") });
  await expect(door.locator("svg path")).toHaveAttribute("d", /^M/);
  await expect(door.getByText("a", { exact: true })).toHaveCount(0);
  const pattern = await door.locator("svg path").getAttribute("d");
  const room = await createRoom(url, "Pattern Room", ["alice"]);
  await say(room, "alice", "It is me");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "It is me");
  await expect(row.locator("svg path").first()).toHaveAttribute("d", pattern ?? "");
});

test("disclosures use the page's marker instead of the browser's triangle", async ({ page }) => {
  for (const path of ["/", "/chat", "/reference"]) {
    await page.goto(path, { waitUntil: "networkidle" });
    await expect(page.locator("summary").first()).toBeVisible();
    const signs = await page
      .locator("summary")
      .evaluateAll((all) => all.map((summary) => getComputedStyle(summary).listStyleType));
    expect(new Set(signs), path).toEqual(new Set(["none"]));
  }
});

test("style transitions take no time for people who prefer less motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/");
  for (const place of [page.locator("body"), page.getByRole("link", { name: landing.start })]) {
    await expect(place).toHaveCSS("transition-duration", "0s");
    await expect(place).toHaveCSS("transition-delay", "0s");
  }
});

test("the footer is at the bottom of the window on a short page, and at the end of a long one", async ({
  page,
}) => {
  const footerEnd = () =>
    page.evaluate(() => document.querySelector("footer")?.getBoundingClientRect().bottom ?? 0);
  await page.setViewportSize({ width: 1280, height: 1600 });
  await page.goto("/articles");
  await expect(page.getByRole("main").getByRole("listitem").first()).toBeVisible();
  expect(Math.round(await footerEnd())).toBe(1600);
  await page.setViewportSize({ width: 1280, height: 300 });
  expect(await footerEnd()).toBeGreaterThan(400);
  await page.getByRole("contentinfo").scrollIntoViewIfNeeded();
  const overlaps = await page.evaluate(() => {
    const main = document.querySelector("main")?.getBoundingClientRect().bottom ?? 0;
    return main > (document.querySelector("footer")?.getBoundingClientRect().top ?? 0) + 1;
  });
  expect(overlaps).toBe(false);
});

test("column headings of the payments are aligned like the cells below them", async ({ page }) => {
  const payment = {
    txId: "0".repeat(40),
    blockNum: 7,
    time: "2026-01-01T00:00:00.000Z",
    from: "alice",
    to: "shop",
    amount: "0.050 HBD",
    direction: "paid",
  };
  await page.route("**/api/x402/payments?*", (route) =>
    route.fulfill({ json: { account: "alice", balance: "1.000 HBD", payments: [payment] } }),
  );
  await page.goto("/payments?account=alice");
  const sidesOf = async (role: "columnheader" | "cell") => {
    const cells = await page.getByRole(role).all();
    return Promise.all(cells.map((cell) => styleOf(cell, "textAlign")));
  };
  await expect(page.getByRole("table")).toBeVisible();
  expect(await sidesOf("columnheader")).toEqual(await sidesOf("cell"));
});

test("the scroll bar shows the background of its list", async ({ openAs, url }) => {
  const room = await createRoom(url, "Even Ground Room", ["alice", "bob"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await expect(timeline(alice, room.title)).toHaveCSS(
    "scrollbar-color",
    / (transparent|rgba\(0, 0, 0, 0\))$/,
  );
});
