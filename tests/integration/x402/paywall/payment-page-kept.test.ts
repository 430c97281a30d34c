import type { BrowserContext, Page } from "playwright";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { fill, pageTexts } from "#lib/x402/paywall/payment-page-texts.ts";
import { openPaymentPage, payOn, preparePaymentPages } from "../../../harness/open-payment-page.ts";

const pages = preparePaymentPages();
const { page: words, script: said } = pageTexts.en;
const DAY_MS = 86_400_000;

let context: BrowserContext;
let balance: number;
beforeEach(async () => {
  context = await pages.browser.newContext({ locale: "en-GB" });
  balance = (await pages.shop.balances()).alice;
});
afterEach(() => context.close());

/** Returns what alice has paid since the test began, in mils. */
const charged = async () => balance - (await pages.shop.balances()).alice;

/** Opens an address in a tab of the test's browser. */
const visit = (url: string, wallet?: "signs" | "waits") =>
  openPaymentPage({ browser: context, shop: pages.shop }, url, wallet);

const seesText = (page: Page, text: string) =>
  expect.poll(() => page.getByText(text, { exact: true }).isVisible()).toBe(true);
const payButton = (page: Page) => page.getByRole("button", { name: words.pay });
const again = (page: Page) => page.getByRole("button", { name: words.again });
const seesAgain = (page: Page) => expect.poll(() => again(page).isVisible()).toBe(true);
const isIdle = (page: Page) => expect.poll(() => payButton(page).isEnabled()).toBe(true);

const storedPayments = (page: Page) =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("x402-payments:")));

type Terms = Parameters<typeof pages.sell>[1];

/** Sells an article whose handler fails until it is repaired. */
async function sellBroken(terms: Terms = {}) {
  let isBroken = true;
  let served = 0;
  const handler = () =>
    isBroken ? new Response(null, { status: 500 }) : new Response(`content ${++served}`);
  const url = await pages.sell(handler, { store: createMemoryClaimStore(), ...terms });
  return {
    url,
    repair() {
      isBroken = false;
    },
  };
}

/** Sells an article whose handler, which runs after the charge, answers only once it is let go. */
async function sellSlowly() {
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let begun = 0;
  let isGone = false;
  const handler = async ({ signal }: Request) => {
    begun++;
    signal.addEventListener("abort", () => {
      isGone = true;
    });
    await isLetGo;
    return new Response("content");
  };
  const url = await pages.sell(handler, { store: createMemoryClaimStore() });
  return {
    url,
    letGo: () => letGo(),
    isCharged: () => expect.poll(() => begun).toBe(1),
    isLeft: () => expect.poll(() => isGone).toBe(true),
  };
}

/** Pays for an article whose handler then fails, in a tab that stays open. */
async function payInVain(terms?: Terms) {
  const { url, repair } = await sellBroken(terms);
  const visited = await visit(url, "signs");
  await payOn(visited.page);
  await seesText(visited.page, said.failed);
  await isIdle(visited.page);
  return { url, repair, ...visited };
}

/** Answers each payment that a page sends with a refusal, until the returned function is called. */
async function refusePayments(page: Page, code: string) {
  const { origin } = new URL(page.url());
  await page.route(`${origin}/**`, async (route) => {
    const isPayment = (await route.request().headerValue("x-payment")) !== null;
    return isPayment
      ? route.fulfill({ status: 402, json: { code, error: code, accepts: [] } })
      : route.continue();
  });
  return () => page.unroute(`${origin}/**`);
}

describe("a signed payment of the payment page", () => {
  test("that was charged before the server failed is sent again by the reloaded page", async () => {
    const { page, signed, faults, repair } = await payInVain();
    expect(await storedPayments(page)).toHaveLength(1);
    repair();
    await page.reload();
    await seesText(page, "content 1");
    expect(await storedPayments(page)).toEqual([]);
    expect([signed.length, await charged(), faults]).toEqual([1, 50, []]);
  });

  test("whose tab was closed during the charge opens the page in a tab without a wallet", async () => {
    const { url, letGo, isCharged, isLeft } = await sellSlowly();
    const closed = (await visit(url, "signs")).page;
    await payOn(closed);
    await isCharged();
    await closed.close();
    await isLeft();
    letGo();
    const { page, faults } = await visit(url);
    await seesText(page, "content");
    expect(await page.getByText(/Paid by @alice, transaction [0-9a-f]{40}/).isVisible()).toBe(true);
    expect([await charged(), await storedPayments(page), faults]).toEqual([50, [], []]);
  });

  test("whose page was reloaded during the charge opens the page", async () => {
    const { url, letGo, isCharged, isLeft } = await sellSlowly();
    const { page, signed } = await visit(url, "signs");
    await payOn(page);
    await isCharged();
    await page.reload();
    await isLeft();
    letGo();
    await seesText(page, "content");
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test("that never reached the server is sent by the reloaded page", async () => {
    const { url, repair } = await sellBroken();
    repair();
    const { page, signed } = await visit(url, "signs");
    await page.route(`${url}/`, async (route) => {
      const isPayment = (await route.request().headerValue("x-payment")) !== null;
      return isPayment ? route.abort() : route.continue();
    });
    await payOn(page);
    await seesText(page, said.unreachable);
    await page.unroute(`${url}/`);
    await page.reload();
    await seesText(page, "content 1");
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test("opens the page for the price that was paid, although it has risen", async () => {
    let amount = "0.050 HBD";
    const { page, signed, repair } = await payInVain({ amount: () => amount });
    amount = "0.080 HBD";
    repair();
    await page.reload();
    await seesText(page, "content 1");
    await page.reload();
    await expect.poll(() => page.getByText(/Paid for on .+: 0\.050 HBD by @alice/).isVisible()).toBe(true);
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test("is sent at its own address only", async () => {
    const { url, page, repair } = await payInVain();
    const sent: string[] = [];
    context.on("request", (request) => {
      if (request.headers()["x-payment"] !== undefined) sent.push(request.url());
    });
    await page.goto(`${url}/other?part=1`);
    await isIdle(page);
    await page.goto(`${url}/?part=1`);
    await isIdle(page);
    expect(sent).toEqual([]);
    repair();
    await page.goto(`${url}/#part`);
    await seesText(page, "content 1");
    expect(sent).toEqual([`${url}/`]);
  });

  test("is sent before another is signed, for whatever account the form names", async () => {
    const { page, signed, repair } = await payInVain();
    await page.reload();
    await seesText(page, said.failed);
    await isIdle(page);
    expect(await page.getByLabel(words.account).inputValue()).toBe("alice");
    repair();
    await page.getByLabel(words.account).fill("bob");
    await payButton(page).click();
    await seesText(page, "content 1");
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test("keeps the page from showing where to send a transfer for the same content", async () => {
    const { page } = await payInVain({ transfers: true, secret: "s".repeat(32) });
    await page.reload();
    await isIdle(page);
    await page.getByRole("button", { name: words.anyWallet }).click();
    await seesText(page, said.slow);
    expect(await page.locator("#transfer").isVisible()).toBe(false);
  });

  test.each([-2, 2, 30])("is sent again by a device whose clock is %i days wrong", async (days) => {
    const { page, repair, signed } = await payInVain();
    repair();
    await page.clock.setSystemTime(Date.now() + days * DAY_MS);
    await page.reload();
    await seesText(page, "content 1");
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test.each(["payment_rejected", "payment_required"])(
    "refused with %s gives way to a new one only once the chain's time is a minute past its end",
    async (code) => {
      const { url, repair } = await sellBroken();
      repair();
      const { page, signed } = await visit(url, "signs");
      const allow = await refusePayments(page, code);
      await payOn(page);
      await isIdle(page);
      const expire = (ms: number) =>
        page.evaluate((toMs) => {
          for (const key of Object.keys(localStorage).filter((name) => name.startsWith("x402-payments:"))) {
            const payment = JSON.parse(localStorage.getItem(key) ?? "");
            payment.payload.signedTransaction.expiration = new Date(toMs).toISOString().slice(0, 19);
            localStorage.setItem(key, JSON.stringify(payment));
          }
        }, ms);
      await expire(Date.now() - 30_000);
      await page.clock.setSystemTime(Date.now() + DAY_MS);
      await page.reload();
      await isIdle(page);
      await payButton(page).click();
      await isIdle(page);
      expect([signed.length, await storedPayments(page)]).toEqual([1, [expect.any(String)]]);
      await expire(Date.now() - 75_000);
      await page.reload();
      await isIdle(page);
      expect(await storedPayments(page)).toEqual([]);
      await allow();
      await payOn(page);
      await seesText(page, "content 1");
      expect([signed.length, await charged()]).toEqual([2, 50]);
    },
  );

  test("refused because it can never be charged gives way to a new one", async () => {
    const { url, repair } = await sellBroken();
    repair();
    const { page, signed } = await visit(url, "signs");
    const allow = await refusePayments(page, "transaction_expired");
    await payOn(page);
    await seesText(page, "transaction_expired");
    expect(await storedPayments(page)).toEqual([]);
    await allow();
    await isIdle(page);
    await payButton(page).click();
    await seesText(page, "content 1");
    expect(signed).toHaveLength(2);
  });
});

const withoutLocks = () => Object.defineProperty(Navigator.prototype, "locks", { value: undefined });

describe("two tabs of the payment page", () => {
  test("buy once if one opens while the other pays", async () => {
    const { url, letGo, isCharged } = await sellSlowly();
    const first = (await visit(url, "signs")).page;
    await payOn(first);
    await isCharged();
    const { page, signed, faults } = await visit(url, "signs");
    await seesText(page, said.onItsWay);
    letGo();
    await seesText(first, "content");
    await seesAgain(page);
    await again(page).click();
    await seesText(page, "content");
    expect([signed.length, await charged(), faults]).toEqual([0, 50, []]);
  });

  test("buy once if the reader presses in both", async () => {
    const { url, letGo, isCharged } = await sellSlowly();
    const first = (await visit(url, "signs")).page;
    const { page, signed } = await visit(url, "signs");
    await payOn(first);
    await isCharged();
    await payOn(page);
    await seesText(page, said.onItsWay);
    letGo();
    await seesText(first, "content");
    await seesAgain(page);
    expect([signed.length, await charged()]).toEqual([0, 50]);
  });

  test("buy once if the wallet of the second signs after the first has paid", async () => {
    const { url, repair } = await sellBroken();
    repair();
    const { page, signed } = await visit(url, "waits");
    await payOn(page);
    await expect
      .poll(() => page.getByText(fill(said.asks, { amount: "0.050 HBD", payee: "shop" })).isVisible())
      .toBe(true);
    const first = (await visit(url, "signs")).page;
    await payOn(first);
    await seesText(first, "content 1");
    await page.evaluate("answerWallet()");
    await seesAgain(page);
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });

  test.each([
    ["with locks", () => {}],
    ["without locks", withoutLocks],
  ])("that open at once send a payment of an earlier page, and buy once, %s", async (_name, prepare) => {
    const { url, page, repair } = await payInVain();
    await page.close();
    repair();
    await context.addInitScript(prepare);
    const tabs = (await Promise.all([visit(url), visit(url)])).map((visited) => visited.page);
    const hasContent = (tab: Page) => tab.getByText("content 1", { exact: true }).isVisible();
    const shown = async () => (await Promise.all(tabs.map(hasContent))).filter(Boolean).length;
    await expect.poll(shown).toBe(1);
    for (const tab of tabs) {
      await expect.poll(() => storedPayments(tab)).toEqual([]);
      await tab.reload();
      await seesAgain(tab);
    }
    expect(await charged()).toBe(50);
  });
});

describe("the payment page without storage", () => {
  const denied = () => {
    const deny = () => {
      throw new DOMException("denied", "SecurityError");
    };
    Object.defineProperty(window, "localStorage", { get: deny });
    LockManager.prototype.request = async () => deny();
  };
  const full = () => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  };

  test.each([
    ["denied", denied],
    ["full", full],
  ])("pays, and sends the same payment again, if storage is %s", async (_name, prepare) => {
    await context.addInitScript(prepare);
    const { page, signed, faults, repair } = await payInVain();
    repair();
    await payButton(page).click();
    await seesText(page, "content 1");
    expect([signed.length, await charged(), faults]).toEqual([1, 50, []]);
  });

  test("sends the same payment again if its reader clears the storage meanwhile", async () => {
    const { page, signed, repair } = await payInVain();
    await page.evaluate(() => localStorage.clear());
    repair();
    await payButton(page).click();
    await seesText(page, "content 1");
    expect([signed.length, await charged()]).toEqual([1, 50]);
  });
});
