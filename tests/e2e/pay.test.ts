import type { Locator } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { strings as payments } from "../../app/(demo)/payments/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { messageRow, pointAt, pressOnMessage, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { choosePayer, payAs, payerRow } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const FIRST = "/articles/three-seconds-and-no-fee";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 90_000 });

test("an article shows its price and stays locked until it is paid", async ({ page }) => {
  await page.goto("/articles");
  await expect(page.getByRole("heading", { level: 1, name: articles.title })).toBeVisible();
  await expect(page.getByText(PRICE).first()).toBeVisible();
  await page.locator("#content").getByRole("link").first().click();
  await expect(page.getByText(articles.locked)).toBeVisible();
  await expect(page.getByRole("button", { name: pay.unlock(PRICE) })).toBeVisible();
});

test("a sandbox account pays, reads, gets a receipt, and sees the requests of the payment", async ({
  page,
}) => {
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
  await payAs(page, "alice", PRICE);
  const receipt = page.getByRole("region", { name: pay.receipt.title });
  await expect(receipt).toBeVisible(SETTLED);
  // The beginning of the paid article is readable under its receipt.
  await expect(receipt).toBeInViewport();
  await expect(page.getByRole("article").getByRole("paragraph").first()).toBeInViewport();
  await expect(receipt).toContainText("@alice");
  await expect(receipt).toContainText(PRICE);
  await expect(receipt).toContainText(/[0-9a-f]{40}/);
  await expect(receipt.getByText(/^\d+$/)).toBeVisible();
  await expect(page.getByRole("article")).toBeVisible();
  await expect(page.getByText(articles.locked)).toBeHidden();

  await page.getByRole("button", { name: pay.flow.open }).click();
  const flow = page.getByRole("dialog", { name: pay.flow.title });
  await expect(flow.getByText("402", { exact: true }).first()).toBeVisible();
  await expect(flow.getByText("200", { exact: true }).first()).toBeVisible();
  await expect(flow.getByText("→ x-payment", { exact: true })).toBeVisible();
  await page.keyboard.press("Escape");

  await receipt.getByRole("link", { name: pay.receipt.payments }).click();
  await expect(page).toHaveURL(/\/payments\?account=alice$/);
  await expect(
    page
      .getByRole("row")
      .filter({ hasText: payments.to("shop") })
      .first(),
  ).toContainText("0.050");
});

test("paying by keyboard moves the focus to the paid content, in the article and in the chat", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Keyboard Market", ["erin", "bob"]);
  await say(room, "bob", `Worth it: ${url}/articles/one-key-for-each-job`);
  const erin = await openAs("erin", `/chat/${room.id}`);
  const buy = async (place: Locator) => {
    await place.getByRole("button", { name: pay.unlock(PRICE) }).press("Enter");
    await expect(erin.getByRole("button", { name: pay.pay(PRICE) })).toBeEnabled();
    await erin.getByRole("button", { name: pay.pay(PRICE) }).press("Enter");
    await expect(erin.getByRole("dialog")).toBeHidden({ timeout: 90_000 });
    await expect(place.getByRole("article")).toBeFocused();
  };
  const card = messageRow(timeline(erin, room.title), "Worth it");
  await buy(card);
  await erin.goto("/articles/the-answer-nobody-used");
  await expect(erin).toHaveTitle("The answer nobody used · Hivegate");
  await buy(erin.getByRole("main"));
});

test("the spend guard disables the pay button for a payment over a limit, and says why", async ({ page }) => {
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await page.getByText(pay.guard.change).click();
  await page.getByRole("textbox", { name: pay.guard.perPayment }).fill("0.010");
  await page.getByRole("button", { name: pay.guard.save }).click();
  await expect(page.getByText(pay.guard.over_limit(PRICE, "0.010"))).toBeVisible();
  await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeDisabled();

  await page.getByRole("textbox", { name: pay.guard.perPayment }).fill("0.100");
  await page.getByRole("textbox", { name: pay.guard.perTab }).fill("0.020");
  await page.getByRole("button", { name: pay.guard.save }).click();
  await expect(page.getByText(pay.guard.over_budget(PRICE, "0.020"))).toBeVisible();
  await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeDisabled();
});

test("the dialog shows the price first and focuses the payer, and one press raises the limit that blocks the payment", async ({
  page,
}) => {
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  const dialog = page.getByRole("dialog");
  await expect(payerRow(page)).toBeFocused();
  await expect(dialog.getByText(PRICE, { exact: true })).toHaveCSS("font-size", "28px");
  await expect(dialog.getByText(pay.summary.hbd)).toBeVisible();
  await expect(dialog.getByText(pay.summary.to("shop", pay.summary.sandboxChain))).toBeVisible();
  await page.getByText(pay.guard.change).click();
  await page.getByRole("textbox", { name: pay.guard.perPayment }).fill("0.010");
  await page.getByRole("textbox", { name: pay.guard.perTab }).fill("0.020");
  await page.getByRole("button", { name: pay.guard.save }).click();
  await page.getByRole("button", { name: pay.guard.raise(PRICE) }).click();
  await expect(page.getByText(pay.guard.over_budget(PRICE, "0.020"))).toBeVisible();
  await page.getByRole("button", { name: pay.guard.raise(PRICE) }).click();
  const press = page.getByRole("button", { name: pay.pay(PRICE) });
  await expect(press).toBeEnabled();
  const limits = await boxOf(dialog.locator("details").filter({ hasText: pay.guard.change }));
  const below = (await boxOf(press)).y - limits.bottom;
  // The button is directly below the limits.
  expect(below).toBeGreaterThanOrEqual(0);
  expect(below).toBeLessThan(60);
  await press.click();
  const steps = dialog.getByRole("listitem");
  await expect(steps).toHaveText(Object.values(pay.steps).map((step) => new RegExp(step)));
});

test("a tip's dialog focuses the amount first, and another amount can be typed", async ({ openAs, url }) => {
  const room = await createRoom(url, "Other Tip Room", ["alice", "bob"]);
  await say(room, "bob", "Priceless advice");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "Priceless advice");
  await pressOnMessage(row, chat.message.tip);
  await expect(alice.getByRole("radio", { name: "0.010", exact: true })).toBeFocused();
  const [amount, payer] = [
    await boxOf(alice.getByText(pay.tip.other, { exact: true })),
    await boxOf(payerRow(alice)),
  ];
  expect(amount.y).toBeLessThan(payer.y);
  await alice.getByRole("radio", { name: pay.tip.other }).check({ force: true });
  await expect(alice.getByRole("button", { name: pay.pay("0.010 HBD") })).toBeDisabled();
  await alice.getByRole("textbox", { name: pay.tip.otherLabel }).fill("0.02");
  await payAs(alice, "alice", "0.020 HBD");
  await expect(alice.getByText(pay.tip.done("0.020 HBD", "bob"))).toBeVisible(SETTLED);
});

test("an account without money sees why it can't pay, and can't press the pay button", async ({ page }) => {
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await choosePayer(page, "dave");
  await expect(page.getByText(pay.payer.tooLittle("dave", "0.000 HBD"))).toBeVisible();
  await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeDisabled();
  await choosePayer(page, "alice");
  await expect(page.getByRole("button", { name: pay.pay(PRICE) })).toBeEnabled();
});

test("after a facilitator outage the same payment is sent again, and no other", async ({ page }) => {
  const sent: string[] = [];
  await page.route("**/api/demo/articles/**", async (route) => {
    const payment = route.request().headers()["x-payment"];
    if (!payment) return route.continue();
    sent.push(payment);
    if (sent.length > 1) return route.continue();
    return route.fulfill({
      status: 503,
      headers: { "retry-after": "1" },
      json: { error: "The facilitator is down.", code: "facilitator_unavailable" },
    });
  });
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "alice", PRICE);
  const again = page.getByRole("button", { name: pay.sendAgain });
  const receipt = page.getByRole("region", { name: pay.receipt.title });
  await expect(again.or(receipt)).toBeVisible(SETTLED);
  if (await again.isVisible()) await again.click();
  await expect(receipt).toBeVisible(SETTLED);
  expect(new Set(sent).size).toBe(1);
});

test("an unrelated error leaves a sent payment pending and counted as spent", async ({ page }) => {
  const sent: string[] = [];
  await page.route("**/api/demo/articles/**", (route) => {
    const payment = route.request().headers()["x-payment"];
    if (payment) sent.push(payment);
    if (!payment || sent.length > 2) return route.continue();
    if (sent.length === 1) return route.abort();
    return route.fulfill({ status: 404, json: { error: "It is gone.", code: "not_found" } });
  });
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "bob", PRICE);
  await expect(page.getByText(pay.failures.pending.text)).toBeVisible(SETTLED);
  await expect(page.getByText(pay.guard.line("0.100", "0.950", "1.000"))).toBeVisible();
  await page.getByRole("button", { name: pay.sendAgain }).click();
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
  expect(new Set(sent).size).toBe(1);
});

test("the page for a replayed payment names the account that owns the article, and offers no second payment", async ({
  page,
}) => {
  await page.route("**/api/demo/articles/**", (route) =>
    route.request().headers()["x-payment"]
      ? route.fulfill({ status: 402, json: { error: "Used.", code: "payment_replayed" } })
      : route.continue(),
  );
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "bob", PRICE);
  await expect(page.getByText(pay.failures.replayed.text("bob"))).toBeVisible(SETTLED);
  await expect(page.getByRole("button", { name: pay.tryAgain })).toBeHidden();
});

test("a tip on a message is counted for both people, and the count lists the tipper", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Tipping Room", ["alice", "bob"]);
  await say(room, "bob", "Free advice: keep your keys apart");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "Free advice");
  await pressOnMessage(row, chat.message.tip);
  await expect(alice.getByRole("dialog", { name: pay.tip.title("bob") })).toBeVisible();
  await payAs(alice, "alice", "0.010 HBD");
  await expect(alice.getByText(pay.tip.done("0.010 HBD", "bob"))).toBeVisible(SETTLED);
  await alice.getByRole("button", { name: pay.tip.close }).click();
  await expect(row.getByText(pay.tip.chip(1, "0.010 HBD"))).toBeVisible();
  const bob = await openAs("bob", `/chat/${room.id}`);
  await expect(
    messageRow(timeline(bob, room.title), "Free advice").getByText(pay.tip.chip(1, "0.010 HBD")),
  ).toBeVisible();
  const chip = messageRow(timeline(bob, room.title), "Free advice").getByRole("button", {
    name: `${pay.tip.chip(1, "0.010 HBD")} alice`,
  });
  await chip.click();
  const tips = bob.getByRole("dialog", { name: pay.tip.chip(1, "0.010 HBD") });
  await expect(tips.getByRole("listitem")).toHaveText(/alice\s*0\.010 HBD/);
  await bob.keyboard.press("Escape");
  await expect(chip).toBeFocused();
});

test("a tip's pay button is in view on a phone from the start, and does not cover the limits", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Small Tip Room", ["alice", "bob"]);
  await say(room, "bob", "Small advice");
  const alice = await openAs("alice", `/chat/${room.id}`, { viewport: { width: 360, height: 640 } });
  await waitForChannel(alice, room.title);
  await pressOnMessage(messageRow(timeline(alice, room.title), "Small advice"), chat.message.tip);
  const button = alice.getByRole("button", { name: pay.pay("0.010 HBD") });
  await expect(button).toBeEnabled();
  await expect(button).toBeInViewport({ ratio: 1 });
  const limits = alice.getByText(pay.guard.change);
  await limits.focus();
  const [above, below] = [await boxOf(limits), await boxOf(button)];
  expect(above.bottom).toBeLessThanOrEqual(below.y);
});

test("a tip given while others watch appears when they point at the message, or return to the window", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Watching Room", ["alice", "bob", "erin"]);
  await say(room, "bob", "First advice");
  await say(room, "bob", "Second advice");
  const erin = await openAs("erin", null);
  await erin.clock.install();
  await erin.goto(`/chat/${room.id}`);
  const seen = (text: string) => messageRow(timeline(erin, room.title), text);
  await expect(seen("Second advice")).toBeVisible();

  const alice = await openAs("alice", `/chat/${room.id}`);
  for (const text of ["First advice", "Second advice"]) {
    await pressOnMessage(messageRow(timeline(alice, room.title), text), chat.message.tip);
    await payAs(alice, "alice", "0.010 HBD");
    await expect(alice.getByText(pay.tip.done("0.010 HBD", "bob"))).toBeVisible(SETTLED);
    await alice.getByRole("button", { name: pay.tip.close }).click();
  }
  const chip = pay.tip.chip(1, "0.010 HBD");
  await erin.clock.fastForward(31_000);
  await pointAt(seen("First advice"));
  await expect(seen("First advice").getByText(chip)).toBeVisible();
  await expect(seen("Second advice").getByText(chip)).toBeHidden();
  await erin.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(seen("Second advice").getByText(chip)).toBeVisible();
});

test("the payments page distinguishes an account without payments from an unknown one", async ({ page }) => {
  await page.goto("/payments?account=dave");
  await expect(page.getByText(payments.empty.title("dave"))).toBeVisible();
  await page.goto("/payments?account=nobody-at-all");
  await expect(page.getByText(payments.unknown.title)).toBeVisible();
});
