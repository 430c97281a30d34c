import type { Page } from "playwright/test";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { readSandbox } from "./support/api-person.ts";
import { boxOf } from "./support/box-of.ts";
import { messageRow, pressOnMessage, timeline, waitForChannel } from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious, expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { answerWallet, askToSignIn, installWallet } from "./support/install-wallet.ts";
import { choosePayer, payByKeychain, payerRow } from "./support/pay-as.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";

const PRICE = "0.050 HBD";
const FIRST = "/articles/three-seconds-and-no-fee";
const ORDER = pay.order.article(PRICE, "shop", "Three seconds and no fee");
/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };

test.describe.configure({ timeout: 90_000 });

test("without a wallet the page links to the extension store of this browser", async ({ page }) => {
  const store = page.getByRole("link", { name: wallet.get });
  const address = /^https:\/\/chromewebstore\.google\.com\/detail\/hive-keychain\//;
  await askToSignIn(page);
  await expect(store).toHaveAttribute("href", address);
  await page.goto(FIRST);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await choosePayer(page, pay.payer.keychain);
  await expect(store).toHaveAttribute("href", address);
});

test("a user who signed in with the wallet is offered it first, for their account", async ({ page }) => {
  // Other tests let agents buy every article for bob, so this one has a server of its own.
  const server = await startServerForWallets();
  try {
    await installWallet(page, server.url);
    await askToSignIn(page, server.url);
    await expect(page.getByRole("button", { name: chat.account.menu("bob") })).toBeVisible();
    await page.goto(server.url + FIRST);
    await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
    await expect(payerRow(page)).toContainText(pay.payer.by("bob", true));
    await payerRow(page).click();
    await expect(page.getByRole("radio").first()).toBeChecked();
    await expect(page.getByRole("radio", { name: pay.payer.keychain })).toBeChecked();
    await expect(page.getByRole("radio", { name: "alice" })).toBeAttached();
    await page.getByRole("button", { name: pay.pay(PRICE) }).click();
    await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
  } finally {
    await server.close();
  }
});

for (const [width, height] of [
  [1280, 800],
  [390, 844],
] as const)
  test(`the amount and account of a tip by wallet are in view at ${width} by ${height}`, async ({
    openAs,
    url,
  }) => {
    const room = await createRoom(url, `Tip View ${width}`, ["alice", "bob"]);
    await say(room, "bob", "Advice in view");
    const alice = await openAs("alice", null, { viewport: { width, height } });
    await installWallet(alice, url);
    await alice.goto(`/chat/${room.id}`);
    await waitForChannel(alice, room.title);
    await pressOnMessage(messageRow(timeline(alice, room.title), "Advice in view"), chat.message.tip);
    await choosePayer(alice, pay.payer.keychain);
    const account = alice.getByRole("textbox", { name: pay.payer.account });
    await expect(account).toBeFocused();
    await expect(alice.getByText(pay.tip.other, { exact: true })).toBeInViewport({ ratio: 1 });
    const [field, limits] = [
      await boxOf(account),
      await boxOf(alice.getByText(pay.guard.line("0.100", "1.000", "1.000"))),
    ];
    expect(field.bottom).toBeLessThanOrEqual(limits.y);
    expect(await alice.getByRole("dialog").evaluate((dialog) => dialog.scrollTop)).toBe(0);
  });

const askWallet = async (page: Page) => {
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeVisible();
};

test("the wallet signs and pays, and the receipt names its account", async ({ page, url }) => {
  await installWallet(page, url);
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
});

test("a payment that the wallet signed for another chain is refused with the address and id of the right one", async ({
  page,
  url,
}) => {
  const { chain } = await readSandbox(url);
  await installWallet(page, url, { onMainnet: true });
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.failures.wrong_chain.text)).toBeVisible(SETTLED);
  await expect(page.getByText(chain?.url ?? "?", { exact: true })).toBeVisible();
  await expect(page.getByText(chain?.chainId ?? "?", { exact: true })).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a payment for another chain");
});

test("a payer whom the chain does not know sees the chain's id", async ({ page, url }) => {
  const { chain } = await readSandbox(url);
  await installWallet(page, url);
  await page.route(`**/api/demo${FIRST}`, async (route) => {
    const { "x-payment": payment, ...headers } = route.request().headers();
    if (!payment) return route.continue();
    const offer = await (await route.fetch({ headers })).json();
    await route.fulfill({ status: 402, json: { ...offer, code: "account_not_found", error: "No account." } });
  });
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.failures.account_not_found.text)).toBeVisible(SETTLED);
  await expect(page.getByText(chain?.chainId ?? "?", { exact: true })).toBeVisible();
});

test("while the wallet asks, the page shows the price and the time left, and the payment can be cancelled", async ({
  page,
  url,
}) => {
  await installWallet(page, url, { waits: true });
  await page.clock.install();
  await askWallet(page);
  await expect(page.getByText(/^The offer holds for 4:\d\d more\.$/)).toBeVisible();
  await page.clock.fastForward(10_000);
  await expect(page.getByText(wallet.noAnswer)).toBeVisible();
  await expectNothingSeriousInBothThemes(page, "a wallet that asks to pay");
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNothingSerious(page, "a wallet that asks to pay, 360 px");
  await page.getByRole("button", { name: wallet.cancel }).click();
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  await expect(page.getByText(pay.failures.wallet_asking.title)).toBeVisible();
  await page.getByRole("button", { name: pay.tryAgain }).click();
  await answerWallet(page);
  // The toast appears even while the dialog is open.
  await expect(page.getByRole("region", { name: /notifications/i })).toContainText(pay.late.left(ORDER));
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeVisible();
  await answerWallet(page);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
});

test("an offer that expires while the wallet asks costs nothing and is replaced by a new one", async ({
  page,
  url,
}) => {
  await installWallet(page, url, { waits: true });
  await page.clock.install();
  await askWallet(page);
  await page.clock.fastForward(300_000);
  await expect(page.getByText(pay.failures.expired.title)).toBeVisible();
  await answerWallet(page);
  await expect(page.getByText(pay.late.expired(ORDER))).toBeVisible();
  await page.getByRole("button", { name: pay.tryAgain }).click();
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  await expect(page.getByText(pay.wallet.asks(PRICE, "shop"))).toBeVisible();
  await answerWallet(page);
  await expect(page.getByRole("region", { name: pay.receipt.title })).toContainText("@bob", SETTLED);
});

test("a dismissed wallet prompt costs nothing", async ({ page, url }) => {
  await installWallet(page, url, { refuses: true });
  await payByKeychain(page, FIRST, PRICE);
  await expect(page.getByText(pay.failures.cancelled.title)).toBeVisible(SETTLED);
  await expect(page.getByText(pay.wallet.says("Request was canceled by the user."))).toBeVisible();
  await expect(page.getByText(pay.guard.line("0.100", "1.000", "1.000"))).toBeVisible();
});
