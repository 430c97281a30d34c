import dhive from "@hiveio/dhive";
import type { Browser, Page } from "playwright";
import { afterAll, afterEach, beforeAll } from "vitest";
import { withPaywall } from "../../lib/x402/next.ts";
import { serveWeb, type WebServer } from "./serve-web.ts";
import { startBrowser } from "./start-browser.ts";
import { type Shop, startShop, wifOf } from "./start-shop.ts";

type Options = Parameters<typeof withPaywall>[0];
type Handler = Parameters<typeof withPaywall>[1];

/** Prepares a shop and a browser for the tests of a file. A test's server ends with the test. */
export function preparePaymentPages() {
  let shop: Shop;
  let browser: Browser;
  const open: WebServer[] = [];
  beforeAll(async () => {
    [shop, browser] = await Promise.all([startShop(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await shop.close();
  });
  afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

  /** Serves answers at a new address, and returns the address. */
  const serve = async (answer: Parameters<typeof serveWeb>[0]) => {
    const server = await serveWeb(answer);
    open.push(server);
    return server.url;
  };
  return {
    get shop() {
      return shop;
    },
    get browser() {
      return browser;
    },
    serve,
    /** Sells the handler's answers at the shop's price. */
    sell(handler: Handler, more: Partial<Options> = {}) {
      const terms = { ...shop.price, nodes: shop.chain.urls, description: "An article", onFault: () => {} };
      const GET = withPaywall({ ...terms, ...more }, handler);
      return serve((request) => GET(request));
    },
    visit: (url: string, wallet?: "signs" | "user_cancel" | "waits", locale?: string) =>
      openPaymentPage({ browser, shop }, url, wallet, locale),
  };
}

/**
 * Opens an address in a browser, or in one of its contexts. `wallet` replaces the extension and signs with alice's key, or refuses with
 * a given reason. A waiting wallet answers its last question, or the one at an index, when the page calls
 * `answerWallet`. The page's clock can be moved. `signed` lists the transactions that the wallet was asked to
 * sign.
 */
export async function openPaymentPage(
  { browser, shop }: { browser: Pick<Browser, "newPage">; shop: Shop },
  url: string,
  wallet?: "signs" | "user_cancel" | "waits",
  locale = "en-GB",
): Promise<{ page: Page; faults: string[]; signed: dhive.Transaction[] }> {
  const page = await browser.newPage({ locale });
  await page.clock.install();
  const faults: string[] = [];
  const signed: dhive.Transaction[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy/.test(message.text()))
      faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  if (wallet) {
    await page.exposeFunction("signInTest", (transaction: dhive.Transaction) => {
      signed.push(transaction);
      if (wallet === "user_cancel")
        return { success: false, error: wallet, message: "Request was canceled by the user." };
      const key = dhive.PrivateKey.fromString(wifOf("alice"));
      const chainId = Buffer.from(shop.chain.chainId, "hex");
      return { success: true, result: dhive.cryptoUtils.signTransaction(transaction, key, chainId) };
    });
    await page.exposeFunction("signTextInTest", (account: string, text: string) => {
      if (wallet === "user_cancel") return { success: false, error: wallet };
      const key = dhive.PrivateKey.fromString(wifOf(account, "posting"));
      return { success: true, result: key.sign(dhive.cryptoUtils.sha256(text)).toString() };
    });
    await page.addInitScript(installWallet, wallet === "waits");
  }
  await page.goto(url);
  return { page, faults, signed };
}

type Answer = (answer: unknown) => void;
type WalletWindow = {
  hive_keychain?: unknown;
  answerWallet(at?: number): Promise<void>;
  signInTest(transaction: unknown): Promise<unknown>;
  signTextInTest(account: string, text: string): Promise<unknown>;
};

/** Runs in the page, and adds a wallet that answers at once or waits for `answerWallet`. */
function installWallet(waits: boolean): void {
  const page = window as unknown as WalletWindow;
  const questions: Array<() => Promise<void>> = [];
  const ask = (question: () => Promise<void>) => {
    questions.push(question);
    if (!waits) void question();
  };
  page.answerWallet = async (at = -1) => {
    const question = questions.at(at);
    if (!question) throw new Error("The wallet was not asked.");
    await question();
  };
  setTimeout(() => {
    page.hive_keychain = {
      requestSignBuffer: (account: string, text: string, _role: string, done: Answer) =>
        ask(() => page.signTextInTest(account, text).then(done)),
      requestSignTx: (_account: string, transaction: unknown, _role: string, done: Answer) =>
        ask(() => page.signInTest(transaction).then(done)),
    };
  }, 150);
}

/** Enters alice's name and presses the button. */
export async function payOn(page: Page): Promise<void> {
  await page.getByLabel("Your Hive account").fill("alice");
  await page.getByRole("button", { name: "Pay with Hive Keychain" }).click();
}

/** Enters an account's name, and presses the button that reopens its purchase. */
export async function comeBackOn(page: Page, account = "alice"): Promise<void> {
  await page.getByLabel("Your Hive account").fill(account);
  await page.getByRole("button", { name: "Sign in: I have bought this before" }).click();
}
