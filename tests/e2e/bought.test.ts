import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { boxOf } from "./support/box-of.ts";
import { expectAtRest, messageRow, timeline } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { answerWallet, installWallet } from "./support/install-wallet.ts";
import { payAs } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const FIRST = "/articles/three-seconds-and-no-fee";
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 90_000 });

test("a bought article opens in every tab, and stays bought after a sign-in", async ({ page, context }) => {
  const other = await context.newPage();
  await other.goto(FIRST);
  await expect(other.getByRole("button", { name: pay.unlock(PRICE) })).toBeVisible();
  const list = await context.newPage();
  await list.goto("/articles");
  const row = list.locator("#content li").filter({ hasText: articles.yours });
  await expect(list.getByText(PRICE).first()).toBeVisible();
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "alice", PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toBeVisible(SETTLED);
  await expectNothingSeriousInBothThemes(page, "a bought article");
  await expect(other.getByRole("region", { name: pay.receipt.title })).toContainText("@alice");
  await expect(row).toHaveCount(1);
  const library = list.getByRole("region", { name: articles.library.title });
  await expect(library.getByRole("region", { name: pay.receipt.title })).toContainText(
    pay.receipt.paid(PRICE, "alice"),
  );
  await row.getByRole("link").click();
  await expect(list.getByRole("region", { name: pay.receipt.title })).toContainText("@alice");
  await expect(list.getByText(articles.locked)).toBeHidden();

  await other.goto("/");
  await other.getByRole("button", { name: session.sandbox.signInAs("dave") }).click();
  await other.waitForURL(/\/chat(\/|$)/);
  await other.goto(FIRST);
  await expect(other.getByRole("region", { name: pay.receipt.title })).toContainText("@alice");
});

test("the library shows a purchase without a date, as the plain payment page stores it", async ({ page }) => {
  await page.addInitScript(() => {
    const address = "/api/demo/articles/three-seconds-and-no-fee";
    const receipt = { payer: "bob", amount: "0.050 HBD", txId: "ab", blockNum: 1, network: "", paidAt: null };
    const content = { type: "application/json", text: JSON.stringify({ body: "Its text." }) };
    localStorage.setItem(`x402-receipt:${address}`, JSON.stringify(receipt));
    localStorage.setItem(`x402-content:${address}`, JSON.stringify(content));
  });
  await page.goto("/articles");
  const library = page.getByRole("region", { name: articles.library.title });
  await expect(library).toContainText(pay.receipt.paid(PRICE, "bob"));
  await expect(library.getByRole("time")).toHaveCount(0);
});

test("an article that arrived incomplete is not yet bought, and the same payment fetches it", async ({
  page,
}) => {
  await page.addInitScript(() => {
    const receipt = { payer: "bob", amount: "0.050 HBD", txId: "", blockNum: null, network: "" };
    const key = "hivegate.bought.three-seconds-and-no-fee";
    if (!localStorage.getItem(key))
      localStorage.setItem(key, JSON.stringify({ body: {}, receipt, flow: [] }));
  });
  const sent: string[] = [];
  await page.route("**/api/demo/articles/**", (route) => {
    const payment = route.request().headers()["x-payment"];
    if (payment) sent.push(payment);
    if (!payment || sent.length > 1) return route.continue();
    return route.fulfill({ contentType: "application/json", body: '{"title":"Three seconds","body":"Every' });
  });
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "bob", PRICE);
  await page.getByRole("button", { name: pay.sendAgain }).click(SETTLED);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
  await expect(page.getByRole("article")).toContainText(/\w/);
  await page.reload();
  await expect(page.getByRole("article")).toContainText(/\w/);
  expect(new Set(sent).size).toBe(1);
});

test("a reader admitted for an earlier payment is told so, and the session's total does not change", async ({
  page,
}) => {
  const earlier = { success: true, txId: "a".repeat(40), blockNum: 1, payer: "bob", network: "hive" };
  await page.route("**/api/demo/articles/**", (route) =>
    route.request().headers()["x-payment"]
      ? route.fulfill({
          headers: { "x-payment-response": Buffer.from(JSON.stringify(earlier)).toString("base64") },
          json: { body: "Read before." },
        })
      : route.continue(),
  );
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "bob", PRICE);
  await expect(page.getByRole("article")).toContainText("Read before.", SETTLED);
  await expect(page.getByText(pay.wasBought("bob"))).toBeVisible();
  await page.goto("/articles/one-key-for-each-job");
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
});

test("the plain payment page follows the chosen theme and adds its purchase to the reader's articles", async ({
  page,
  url,
}) => {
  await installWallet(page, url, { waits: true });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.addInitScript(() => localStorage.setItem("theme", "light"));
  await page.goto("/api/demo/articles/the-answer-nobody-used");
  await expect(page.locator("html")).toHaveCSS("color-scheme", "light");
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(246, 244, 238)");
  await page.getByRole("textbox").fill("bob");
  await page.getByRole("button", { name: "Pay with Hive Keychain" }).click();
  await expect(page.getByRole("button", { name: "Cancel" })).toBeVisible();
  await expectNothingSerious(page, "a plain payment page whose wallet asks");
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNothingSerious(page, "a plain payment page whose wallet asks, 360 px");
  await answerWallet(page);
  await expect(page.getByRole("region", { name: "Paid content" })).toBeVisible(SETTLED);
  await expectNothingSerious(page, "a plain payment page with what was paid for, 360 px");
  await page.goto("/articles");
  const row = page.locator("#content li").filter({ hasText: articles.yours });
  await expect(row).toHaveCount(1);
  await row.getByRole("link").click();
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob");
  await expect(page.getByText(articles.locked)).toBeHidden();
});

test("an account opens its purchases on another device without paying, even while the price is still shown", async ({
  page,
  openAs,
}) => {
  const device = await openAs("carol", "/articles/one-key-for-each-job");
  const unlock = device.getByRole("button", { name: pay.unlock(PRICE) });
  await expect(unlock).toBeVisible();
  await page.goto("/articles/one-key-for-each-job");
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(page, "carol", PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toBeVisible(SETTLED);

  await unlock.click();
  await expect(device.getByRole("heading", { name: pay.owned.title })).toBeVisible();
  await expectNothingSeriousInBothThemes(device, "what the account has bought already");
  await device.getByRole("button", { name: pay.owned.show }).click();
  await expect(device.getByRole("region", { name: pay.receipt.title })).toContainText("@carol");
  await device.goto("/articles");
  const link = device.locator('a[href="/articles/one-key-for-each-job"]');
  await device
    .locator("#content li")
    .filter({ has: link, hasText: articles.yours })
    .first()
    .getByRole("link")
    .click();
  // The list has a receipt for each purchase.
  await device.waitForURL("**/articles/one-key-for-each-job");
  await expect(device.getByRole("region", { name: pay.receipt.title })).toContainText("@carol");
  await expect(device.getByRole("article")).toContainText("Four keys");
  const stranger = await openAs("dave", "/articles/one-key-for-each-job");
  await expect(stranger.getByText(articles.locked)).toBeVisible();
});

test("a bought article is not offered again while it can't be fetched", async ({ openAs, url }) => {
  const SLUG = "three-seconds-and-no-fee";
  const room = await createRoom(url, "Flaky Reading Room", ["carol", "bob"]);
  await say(room, "bob", `Worth it: ${url}/articles/${SLUG}`);
  const carol = await openAs("carol", `/articles/${SLUG}`);
  const unlock = carol.getByRole("button", { name: pay.unlock(PRICE) });
  const receipt = carol.getByRole("region", { name: pay.receipt.title });
  // An earlier test may have bought it in her name.
  await expect(unlock.or(receipt)).toBeVisible();
  if (await unlock.isVisible()) {
    await unlock.click();
    await payAs(carol, "carol", PRICE);
  }
  await expect(receipt).toBeVisible(SETTLED);
  await carol.evaluate((key) => localStorage.removeItem(key), `hivegate.bought.${SLUG}`);
  let isDown = true;
  await carol.route(`**/api/demo/articles/${SLUG}`, (route) => (isDown ? route.abort() : route.continue()));

  await carol.goto(`/articles/${SLUG}`);
  const again = carol.getByRole("main").getByRole("button", { name: pay.tryAgain });
  await expect(again).toBeVisible();
  await expect(unlock).toBeHidden();
  isDown = false;
  await again.click();
  await expect(carol.getByRole("article")).toContainText("three seconds");

  isDown = true;
  await carol.goto(`/chat/${room.id}`);
  const card = messageRow(timeline(carol, room.title), "Worth it").getByRole("article");
  await expect(card).toContainText(pay.post.unread);
  await expect(card.getByRole("button", { name: pay.unlock(PRICE) })).toBeHidden();
  await expectNothingSeriousInBothThemes(carol, "a bought article that can't be fetched");
  isDown = false;
  await card.getByRole("button", { name: pay.tryAgain }).click();
  await expect(card.getByRole("region", { name: pay.receipt.title })).toContainText("@carol");
});

test("an account's purchases disappear from every tab on sign-out and return with the next sign-in", async ({
  page,
  context,
}) => {
  const enter = page.getByRole("button", { name: session.sandbox.signInAs("carol") });
  await page.goto("/");
  await enter.click();
  const article = await context.newPage();
  await page.waitForURL(/\/chat(\/|$)/);
  await article.goto("/articles/the-answer-nobody-used");
  await article.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(article, "carol", PRICE);
  const receipt = article.getByRole("region", { name: pay.receipt.title });
  await expect(receipt).toContainText("@carol", SETTLED);
  const list = await context.newPage();
  await list.goto("/articles");
  const own = list.getByText(articles.yours, { exact: true }).first();
  await expect(own).toBeVisible();

  await page.getByRole("button", { name: chat.account.menu("carol") }).click();
  await page.getByRole("menuitem", { name: chat.account.signOut }).click();
  await expect(article.getByText(articles.locked)).toBeVisible();
  await expect(receipt).toBeHidden();
  await expect(list.getByText(PRICE, { exact: true }).first()).toBeVisible();
  await expect(own).toBeHidden();

  await enter.click();
  await expect(receipt).toContainText("@carol");
  await expect(own).toBeVisible();
});

test("unlocking keeps the top of the card in place, and shows twelve lines of text and a button for the rest", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Steady Reading Room", ["dave", "bob"]);
  for (let line = 1; line <= 12; line++) await say(room, "bob", `Line ${line}`);
  await say(room, "bob", `Worth it: ${url}/articles/the-answer-nobody-used`);
  // The message is read from the end of the list, where growing content pushes upwards.
  await room.people.get("dave")?.chat("POST", `/channels/${room.id}/view`);
  const dave = await openAs("dave", `/chat/${room.id}`);
  const row = messageRow(timeline(dave, room.title), "Worth it");
  const unlock = row.getByRole("button", { name: pay.unlock(PRICE) });
  await expect(unlock).toBeInViewport();
  await expectAtRest(row);
  const card = row.getByRole("article");
  // Uses the keyboard, because the runner may scroll before a click.
  await unlock.focus();
  const before = await boxOf(card);
  await dave.keyboard.press("Enter");
  await payAs(dave, "bob", PRICE);
  await expect(row.getByRole("region", { name: pay.receipt.title })).toBeVisible(SETTLED);
  const more = row.getByRole("button", { name: pay.continueReading });
  await expect(more).toBeAttached();
  const text = row.getByText(/Every web developer/);
  const height = await text.evaluate((line) => {
    const clipped = (element: Element | null): Element | null =>
      !element || getComputedStyle(element).overflowY === "clip" ? element : clipped(element.parentElement);
    return (clipped(line)?.clientHeight ?? 0) / Number.parseFloat(getComputedStyle(line).lineHeight);
  });
  expect(height).toBeCloseTo(12, 1);
  await expect.poll(async () => (await boxOf(card)).y).toBeCloseTo(before.y, 0);
  const receipt = row.getByRole("region", { name: pay.receipt.title });
  expect((await boxOf(receipt)).y).toBeLessThan((await boxOf(text)).y);
  await more.press("Enter");
  await expect(more).toBeHidden();
  await expectNothingSeriousInBothThemes(dave, "an unlocked article in the chat");
  await expect(row.getByText(/turns out to be the right one/)).toBeAttached();
});

test("'Show all' keeps the top of a long message in place, even at the end of the list", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Long Message Room", ["alice", "bob"]);
  await say(room, "bob", Array.from({ length: 120 }, (_, line) => `Long line ${line + 1}`).join("\n"));
  await room.people.get("alice")?.chat("POST", `/channels/${room.id}/view`);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "Long line 1");
  const more = row.getByRole("button", { name: chat.message.showMore });
  await expectAtRest(row);
  await more.focus();
  const first = row.getByText(/^Long line 1\b/).first();
  const before = await boxOf(first);
  await alice.keyboard.press("Enter");
  await expect(row.getByText(/Long line 120/)).toBeAttached();
  await expect.poll(async () => (await boxOf(first)).y).toBeCloseTo(before.y, 0);
});

test("a paid post in the chat is a card that unlocks in place", async ({ openAs, url }) => {
  const room = await createRoom(url, "Reading Room", ["erin", "bob"]);
  await say(room, "bob", `Worth every cent: ${url}${FIRST}`);
  const erin = await openAs("erin", `/chat/${room.id}`);
  const row = messageRow(timeline(erin, room.title), "Worth every cent");
  await row.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payAs(erin, "erin", PRICE);
  await expect(row.getByText(pay.post.paid)).toBeVisible(SETTLED);
  await expect(row.getByRole("region", { name: pay.receipt.title })).toContainText("@erin");
});
