import type { Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as articles } from "../../app/(demo)/articles/strings.en.ts";
import { composer, messageRow, pressOnMessage, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { answerWallet, installWallet } from "./support/install-wallet.ts";
import { choosePayer, payAs, payByKeychain } from "./support/pay-as.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const TITLE = "Three seconds and no fee";
const FIRST = "/articles/three-seconds-and-no-fee";
const ORDER = pay.order.article(PRICE, "shop", TITLE);
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 90_000 });

const underWay = (page: Page) => page.getByRole("region", { name: pay.left.label });

/** Asks the wallet to pay an article's price, and closes the dialog before it answers. */
async function leaveWhileAsked(page: Page, url: string): Promise<void> {
  await installWallet(page, url, { waits: true });
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
}

test("closing the dialog while the wallet asks warns that confirming still pays", async ({ page, url }) => {
  await leaveWhileAsked(page, url);
  await expect(underWay(page)).toContainText(pay.left.asks(ORDER));
  await expectNothingSeriousInBothThemes(page, "a payment under way");
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNothingSerious(page, "a payment under way, 360 px");
  await answerWallet(page);
  await expect(underWay(page)).toContainText(pay.left.opened(TITLE), SETTLED);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob");
  await expect(page.getByText(articles.locked)).toBeHidden();
  await underWay(page).getByRole("button", { name: pay.left.hide }).click();
  await expect(underWay(page)).toBeHidden();
});

test("a payment that continues without its dialog can be reopened from its line and from the button", async ({
  page,
  url,
}) => {
  await leaveWhileAsked(page, url);
  await underWay(page).getByRole("button", { name: pay.left.show }).click();
  await expect(page.getByRole("dialog", { name: TITLE })).toContainText(pay.wallet.asks(PRICE, "shop"));
  await expect(underWay(page)).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(underWay(page)).toContainText(pay.left.asks(ORDER));
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByRole("dialog", { name: TITLE })).toContainText(pay.wallet.asks(PRICE, "shop"));
  await expect(underWay(page)).toBeHidden();
  await answerWallet(page);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
  await expect(page.getByRole("article")).toBeFocused();
});

test("a payment that was given up without its dialog charges nothing if it is signed later, and says so", async ({
  page,
  url,
}) => {
  let payments = 0;
  page.on("request", (request) => {
    if (request.headers()["x-payment"]) payments++;
  });
  await leaveWhileAsked(page, url);
  await underWay(page).getByRole("button", { name: pay.left.stop }).click();
  await expect(underWay(page)).toBeHidden();
  await answerWallet(page);
  await expect(page.getByText(pay.late.left(ORDER))).toBeVisible();
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await expect(page.getByRole("dialog").getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
  expect(payments).toBe(0);
});

test("a payment continues on another page, and says there what it opened", async ({ page, url }) => {
  await leaveWhileAsked(page, url);
  await page.getByRole("link", { name: articles.back }).click();
  await expect(page.getByRole("heading", { level: 1, name: articles.title })).toBeVisible();
  await expect(underWay(page)).toContainText(pay.left.asks(ORDER));
  await answerWallet(page);
  await expect(underWay(page)).toContainText(pay.left.opened(TITLE), SETTLED);
  await underWay(page).getByRole("link", { name: pay.left.read }).click();
  await expect(page).toHaveURL(new RegExp(`${FIRST}$`));
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob");
  await expect(underWay(page)).toBeHidden();
});

test("an unanswered payment is sent again unchanged after its dialog was closed or its line hidden", async ({
  page,
}) => {
  const sent: string[] = [];
  let [isCut, isDown] = [true, false];
  await page.route("**/api/demo/articles/**", (route) => {
    const payment = route.request().headers()["x-payment"];
    if (payment) sent.push(payment);
    return isDown || (payment && isCut) ? route.abort() : route.continue();
  });
  await page.goto(FIRST);
  const unlock = page.getByRole("button", { name: pay.unlock(PRICE) });
  await unlock.click();
  await payAs(page, "bob", PRICE);
  const again = page.getByRole("button", { name: pay.sendAgain });
  await expect(again).toBeVisible(SETTLED);
  await page.keyboard.press("Escape");
  // The price can't be read again, and need not be.
  isDown = true;
  await underWay(page).getByRole("button", { name: pay.left.show }).click();
  await again.click();
  await expect(again).toBeHidden();
  await expect(again).toBeVisible(SETTLED);
  await page.keyboard.press("Escape");
  await underWay(page).getByRole("button", { name: pay.left.hide }).click();
  await expect(underWay(page)).toBeHidden();
  [isCut, isDown] = [false, false];
  await unlock.click();
  await again.click();
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
  expect(new Set(sent).size).toBe(1);
});

test("a tip arrives after its dialog was closed while the wallet asked, and leaves the focus in the composer", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Left Tip Room", ["alice", "bob"]);
  await say(room, "bob", "Advice that costs");
  const alice = await openAs("alice", null);
  await installWallet(alice, url, { waits: true });
  await alice.goto(`/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const row = messageRow(timeline(alice, room.title), "Advice that costs");
  await pressOnMessage(row, chat.message.tip);
  await alice.getByRole("radio", { name: "0.050", exact: true }).check({ force: true });
  await choosePayer(alice, pay.payer.keychain);
  await alice.getByRole("button", { name: pay.pay(PRICE) }).click();
  await expect(alice.getByText(pay.wallet.asks(PRICE, "bob"))).toBeVisible();
  await expect(alice.getByRole("listitem").last()).toHaveText(pay.tip.lastStep("bob"));
  await alice.keyboard.press("Escape");
  await expect(underWay(alice)).toContainText(pay.left.asks(pay.order.tip(PRICE, "bob")));

  // Requesting the tip again finds the payment in progress.
  await pressOnMessage(row, chat.message.tip);
  await expect(alice.getByRole("dialog")).toContainText(pay.wallet.asks(PRICE, "bob"));
  await alice.keyboard.press("Escape");
  await composer(alice, room.title).click();
  await answerWallet(alice);
  await expect(underWay(alice)).toContainText(pay.tip.done(PRICE, "bob"), SETTLED);
  await expect(composer(alice, room.title)).toBeFocused();
  await expect(row.getByText(pay.tip.chip(1, PRICE))).toBeVisible();
});
