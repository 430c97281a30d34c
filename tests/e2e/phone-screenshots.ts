import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright/test";
import sharp from "sharp";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as pay } from "../../app/(demo)/_pay/strings.en.ts";
import { strings as transfer } from "../../app/(demo)/_pay/transfer-strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { walletNames } from "../../lib/wallet-links/index.ts";
import { pageTexts } from "../../lib/x402/paywall/payment-page-texts.ts";
import { followLink } from "../harness/transfer-wallet.ts";
import { readSandbox } from "./support/api-person.ts";
import { askWallet } from "./support/ask-wallet.ts";
import { openChain } from "./support/open-chain.ts";
import { payerRow } from "./support/pay-as.ts";
import { readLink, signQuestion } from "./support/phone-wallet.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";
import { askForTransfer, linkIn, PRICE, transferPanel } from "./support/transfer-panel.ts";

const folder = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
const ARTICLE = "/articles/three-seconds-and-no-fee";
const screen = { viewport: { width: 360, height: 700 }, deviceScaleFactor: 2 };
const phone = {
  ...{ ...screen, hasTouch: true, isMobile: true },
  userAgent:
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};

test.describe.configure({ timeout: 120_000 });

let server: Awaited<ReturnType<typeof startServerForWallets>>;
test.beforeAll(async () => {
  server = await startServerForWallets({ TRUST_PROXY: "1" });
});
test.afterAll(() => server.close());

/** Opens a window whose address is one of those that documentation may show. */
async function open(browser: Browser, device: object): Promise<Page> {
  const context = await browser.newContext({
    ...device,
    baseURL: server.url,
    reducedMotion: "reduce",
    extraHTTPHeaders: { "x-forwarded-for": "203.0.113.7" },
  });
  return context.newPage();
}

/** Takes a picture for the docs, small enough for many of them on one page. */
async function shoot(page: Page, name: string): Promise<void> {
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  // The server of the pictures has no certificate, and those of readers have one.
  for (const note of await page.getByText(wallet.unreachable).all())
    await note.evaluate((element) => element.setAttribute("hidden", ""));
  const png = await page.screenshot({ animations: "disabled" });
  await sharp(png)
    .webp({ quality: 56, effort: 6 })
    .toFile(`${folder}phone-${name}-${isDark ? "dark" : "light"}.webp`);
}

/** Scrolls a part of the page to the top of the screen. */
const showAtTop = (part: Locator) => part.evaluate((element) => element.scrollIntoView({ block: "start" }));

test("signing in by Keychain on the same phone", async ({ browser }) => {
  const page = await open(browser, phone);
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("alice");
  await expect(page.getByRole("button", { name: session.hivesigner.button })).toBeVisible();
  await showAtTop(page.getByText(session.username, { exact: true }));
  await shoot(page, "ways");
  await page.getByRole("button", { name: session.phone.button, exact: true }).click();
  const link = page.getByRole("link", { name: wallet.phone.openButton, exact: true });
  await expect(link).toBeVisible();
  await shoot(page, "keychain");
  const visited = await page.context().newPage();
  await visited.goto(signQuestion(readLink((await link.getAttribute("href")) ?? "")));
  await expect(visited.getByRole("heading", { name: "Signed in as @alice" })).toBeVisible();
  await shoot(visited, "signed");
  await visited.close();
  await expect(page.getByRole("button", { name: chat.account.menu("alice") })).toBeVisible();
  await page.context().close();
});

test("the code of HiveAuth", async ({ browser }) => {
  const page = await open(browser, phone);
  await askWallet(page, "bob", session.hiveauth.button);
  await page.getByText(wallet.otherPhone).click();
  await expect(page.getByRole("img", { name: wallet.hiveauth.code })).toBeVisible();
  await showAtTop(page.getByRole("group", { name: wallet.hiveauth.open("bob") }));
  await shoot(page, "hiveauth");
  await page.emulateMedia({ colorScheme: "dark" });
  await shoot(page, "hiveauth");
  await page.context().close();
});

test("signing in by HiveSigner", async ({ browser }) => {
  const page = await open(browser, phone);
  await askWallet(page, "carol", session.hivesigner.button);
  await expect(page.getByRole("link", { name: wallet.hivesigner.openButton })).toBeVisible();
  await showAtTop(page.getByRole("group", { name: wallet.hivesigner.open("carol") }));
  await shoot(page, "hivesigner");
  await page.context().close();
});

test("signing in by a typed key", async ({ browser }) => {
  const page = await open(browser, phone);
  const { accounts } = await readSandbox(server.url);
  await page.goto("/");
  await page.getByRole("textbox", { name: session.username }).fill("erin");
  await page.getByText(session.key.summary).click();
  const key = accounts.find(({ name }) => name === "erin")?.keys.posting ?? "";
  await page.getByLabel(session.key.label).fill(key);
  await page
    .getByRole("button", { name: session.key.button })
    .evaluate((button) => button.scrollIntoView({ block: "center" }));
  await shoot(page, "key");
  await page.context().close();
});

test("paying with a phone", async ({ browser }) => {
  const page = await open(browser, phone);
  await page.goto(ARTICLE);
  await page.getByRole("button", { name: pay.unlock(PRICE) }).click();
  await payerRow(page).click();
  const other = page.getByRole("radio", { name: pay.payer.transfer });
  await other.evaluate((radio) => radio.parentElement?.scrollIntoView({ block: "center" }));
  await shoot(page, "payer");
  await other.check({ force: true });
  await page.getByRole("button", { name: pay.pay(PRICE) }).click();
  const panel = transferPanel(page);
  await expect(panel).toBeFocused();
  await shoot(page, "pay");
  await panel.getByText(transfer.other, { exact: true }).click();
  await showAtTop(page.getByText(transfer.exactly));
  await shoot(page, "copy");
  const link = await linkIn(panel, walletNames.keychain);
  await followLink(await openChain(server.url), link);
  const receipt = page.getByRole("region", { name: pay.receipt.title });
  await expect(receipt).toBeVisible({ timeout: 90_000 });
  await shoot(page, "paid");
  await page.context().close();
});

test("the payment page of a paywall", async ({ browser }) => {
  const page = await open(browser, { ...phone, viewport: { width: 360, height: 860 } });
  await page.goto(`/api/demo${ARTICLE}`);
  // The chain of the pictures is the sandbox's, and that of readers needs no explanation.
  const texts = pageTexts.en.page;
  await page
    .getByText(texts.otherChain.split("{")[0] ?? "")
    .evaluate((note) => note.setAttribute("hidden", ""));
  for (const name of [texts.node, texts.chainId])
    await page
      .getByText(name, { exact: true })
      .evaluate((term) => term.closest("dl")?.setAttribute("hidden", ""));
  await page.getByRole("button", { name: texts.anyWallet }).click();
  await expect(page.getByRole("link", { name: transfer.open(walletNames.keychain) })).toBeVisible();
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, "page");
  await page.context().close();
});

test("the code that a computer shows to pay", async ({ browser }) => {
  const page = await open(browser, { ...screen, viewport: { width: 360, height: 860 } });
  await page.goto(ARTICLE);
  const panel = await askForTransfer(page);
  await panel.getByText(transfer.other, { exact: true }).click();
  await expect(page.getByRole("img", { name: transfer.code(walletNames.keychain) })).toBeVisible();
  await showAtTop(panel);
  await shoot(page, "code");
  await page.context().close();
});
