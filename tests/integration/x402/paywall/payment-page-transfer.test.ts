import type { Locator, Page } from "playwright";
import { afterEach, describe, expect, test } from "vitest";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { fill, pageTexts } from "#lib/x402/paywall/payment-page-texts.ts";
import { preparePaymentPages } from "../../../harness/open-payment-page.ts";
import { scan } from "../../../harness/scan-code.ts";
import { sendTransfer } from "../../../harness/send-transfer.ts";
import { followLink, readTransferLink } from "../../../harness/transfer-wallet.ts";

const pages = preparePaymentPages();
const { page: words, script: said } = pageTexts.en;
const terms = { transfers: true, secret: "s".repeat(32), store: createMemoryStore() };
const sell = (more = {}) =>
  pages.sell((_request, { payer }) => new Response(`bought by ${payer}`), {
    ...terms,
    ...more,
  });

const sees = (what: Locator) => expect.poll(() => what.isVisible()).toBe(true);
const seesNot = (what: Locator) => expect.poll(() => what.isVisible()).toBe(false);
const content = (page: Page, payer = "bob") => page.getByText(`bought by ${payer}`, { exact: true });
const begin = (page: Page) => page.getByRole("button", { name: words.anyWallet });
const panel = (page: Page) => page.getByRole("group", { name: /0\.050 HBD/ });

/** Waits for the terms of the transfer, and returns the memo among them. */
async function memoOn(page: Page) {
  await sees(panel(page));
  return page.locator("#send-memo").textContent();
}

const open: Page[] = [];
afterEach(() => Promise.all(open.splice(0).map((page) => page.context().close())));

/** Opens an address in a browser of its own, and records the faults of the page. */
async function visit(url: string, isOnPhone = false) {
  const context = await pages.browser.newContext({
    ...(isOnPhone && { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }),
    locale: "en-GB",
  });
  const page = await context.newPage();
  open.push(page);
  await page.clock.install();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy/.test(message.text())) faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

const linkOn = async (page: Page, wallet: string) =>
  (await panel(page)
    .getByRole("link", { name: `Open ${wallet}` })
    .getAttribute("href")) ?? "";

describe("the payment page on a phone", () => {
  test.each(["Keychain", "Ecency"])(
    "opens by itself once %s has sent the transfer of its link",
    async (wallet) => {
      const { page, faults } = await visit(await sell(), true);
      await begin(page).click();
      await sees(panel(page));
      await sees(page.getByText(said.awaiting));
      await sees(page.getByText(/The offer holds for 1[45]:\d\d more\./));
      const { txId } = await followLink(pages.shop.chain, await linkOn(page, wallet));
      await sees(content(page));
      await sees(page.getByText(`Paid by @bob, transaction ${txId} in block`));
      await seesNot(panel(page));
      expect(faults).toEqual([]);
    },
  );

  test("leads to where the answer to a sent transfer redirects", async () => {
    const target = await pages.serve(async () => new Response("the download"));
    const { page } = await visit(await pages.sell(() => Response.redirect(target, 303), terms), true);
    await begin(page).click();
    await sees(panel(page));
    await followLink(pages.shop.chain, await linkOn(page, "Keychain"));
    await sees(page.getByText("the download", { exact: true }));
    expect(page.url()).toBe(`${target}/`);
  });

  test("opens in the page to which HiveSigner returns with the transaction's id", async () => {
    const url = await sell();
    const { page } = await visit(`${url}/part#secret`, true);
    await begin(page).click();
    const link = await linkOn(page, "HiveSigner");
    // HiveSigner replaces the page, which therefore does not see the transfer itself.
    await page.goto("about:blank");
    const { returnTo, txId } = await followLink(pages.shop.chain, link);
    expect(returnTo).toBe(`${url}/part`);
    await page.goto(`${returnTo}?id=${txId}`);
    await sees(content(page));
    expect(page.url()).toBe(`${url}/part`);
  });

  test("with a query, whose parts may be secret, gives HiveSigner no address and opens it beside itself", async () => {
    const { page } = await visit(`${await sell()}/?token=secret`, true);
    await begin(page).click();
    const link = await linkOn(page, "HiveSigner");
    expect(link).toContain("https://hivesigner.com/sign/transfer?");
    expect(link).not.toMatch(/redirect_uri|secret/);
    const openLink = panel(page).getByRole("link", { name: "Open HiveSigner" });
    expect(await openLink.getAttribute("target")).toBe("_blank");
    await followLink(pages.shop.chain, link);
    await sees(content(page));
  });

  test("keeps a claim that one server does not recognize, shows its memo no more, and opens at the next", async () => {
    const url = await sell();
    const { page } = await visit(url, true);
    let isRecognized = false;
    await page.route(`${url}/`, async (route) => {
      const isRefused = !isRecognized && (await route.request().headerValue("payment-signature")) !== null;
      if (!isRefused) return route.continue();
      return route.fulfill({ status: 402, json: { code: "invalid_claim" } });
    });
    await begin(page).click();
    await sees(page.getByText(said.unrecognized));
    await seesNot(panel(page));
    const memo = (await page.locator("#send-memo").textContent()) ?? "";
    await sendTransfer(pages.shop.chain, { from: "bob", memo });
    await page.reload();
    await sees(begin(page));
    await seesNot(panel(page));
    isRecognized = true;
    await expect
      .poll(async () => {
        await page.clock.fastForward(5000);
        return content(page).isVisible();
      })
      .toBe(true);
  });

  test("shows account, amount and memo to copy for another wallet", async () => {
    const { page } = await visit(await sell(), true);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await begin(page).click();
    await panel(page).getByText(words.otherWallet).click();
    const copied: string[] = [];
    for (const name of [words.copyTo, words.copyAmount, words.copyMemo]) {
      await panel(page).getByRole("button", { name }).click();
      await sees(page.getByText(said.copied).last());
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
      await page.clock.fastForward(2000);
    }
    const [to = "", amount, memo = ""] = copied;
    expect([to, amount]).toEqual(["shop", "0.050 HBD"]);
    await sendTransfer(pages.shop.chain, { from: "carol", to, memo });
    await sees(content(page, "carol"));
  });

  test("shows the wallet used last first", async () => {
    const first = () => panel(page).getByRole("link").first().textContent();
    const { page } = await visit(await sell(), true);
    await begin(page).click();
    expect(await first()).toBe("Open Keychain");
    const ecency = panel(page).getByRole("link", { name: "Open Ecency" });
    await ecency.evaluate((link) => link.addEventListener("click", (event) => event.preventDefault()));
    await ecency.click();
    await followLink(pages.shop.chain, await linkOn(page, "Ecency"));
    await sees(content(page));
    await page.reload();
    await begin(page).click();
    expect(await first()).toBe("Open Ecency");
  });
});

describe("the payment page on a desktop", () => {
  test.each([
    ["Keychain", "hive://sign/op/"],
    ["Ecency", "ecency://transfer?"],
    ["HiveSigner", "https://hivesigner.com/sign/transfer?"],
  ])("shows a code that %s reads, and opens by itself", async (wallet, start) => {
    const { page, faults } = await visit(await sell());
    await begin(page).press("Enter");
    await sees(panel(page));
    await panel(page).getByRole("radio", { name: wallet }).check();
    const link = await scan(page.getByRole("img", { name: `Code to scan for ${wallet}` }));
    expect(link.startsWith(start)).toBe(true);
    expect(readTransferLink(link, "bob").returnTo).toBeNull();
    await followLink(pages.shop.chain, link);
    await sees(content(page));
    expect(faults).toEqual([]);
  });

  test("is without other wallets if the seller takes no sent transfers", async () => {
    const { page } = await visit(await sell({ transfers: false }));
    await sees(page.getByText("Hive Keychain extension"));
    expect(await page.getByRole("button", { name: words.anyWallet }).count()).toBe(0);
  });

  test("offers other wallets although the seller has named no chain node", async () => {
    const { page } = await visit(await sell({ nodes: [] }));
    await sees(begin(page));
    await seesNot(page.getByText(words.noWallet));
  });

  test("opens when its claim is paid while the reader looks at another way", async () => {
    const { page } = await visit(await sell());
    await begin(page).click();
    const memo = (await memoOn(page)) ?? "";
    await page.getByRole("button", { name: words.otherWay }).click();
    await seesNot(panel(page));
    await sendTransfer(pages.shop.chain, { from: "bob", memo });
    await sees(content(page));
  });
});

describe("a claim of the payment page", () => {
  test("outlives the page, which shows no other for the same purchase", async () => {
    const { page } = await visit(await sell(), true);
    await begin(page).click();
    const memo = await memoOn(page);
    await page.reload();
    await sees(panel(page));
    expect(await memoOn(page)).toBe(memo);
    await page.getByRole("button", { name: words.otherWay }).click();
    await begin(page).click();
    expect(await memoOn(page)).toBe(memo);
    const beside = await page.context().newPage();
    await beside.goto(page.url());
    await sees(panel(beside));
    expect(await memoOn(beside)).toBe(memo);
  });

  test("paid while the page was closed opens it in the same browser, and once", async () => {
    let served = 0;
    const url = await pages.sell(() => new Response(`answer ${++served}`), terms);
    const { page } = await visit(url, true);
    await begin(page).click();
    const link = await linkOn(page, "Keychain");
    const context = page.context();
    await page.goto("about:blank");
    await followLink(pages.shop.chain, link);
    const later = await context.newPage();
    await later.goto(url);
    await sees(later.getByText("answer 1", { exact: true }));
    await later.reload();
    await later.getByRole("button", { name: words.again }).click();
    await sees(later.getByText("answer 1", { exact: true }));
    expect(served).toBe(1);
  });

  test("opens the page if it is paid, although the server offers no transfers any more", async () => {
    const price = { ...pages.shop.price, nodes: pages.shop.chain.urls, onFault: () => {} };
    const handlers = [true, false].map((transfers) =>
      withPaywall(
        { ...price, ...terms, transfers },
        (_request, { payer }) => new Response(`bought by ${payer}`),
      ),
    );
    const url = await pages.serve((request) => handlers[0]?.(request) ?? Response.error());
    const { page, faults } = await visit(url);
    await begin(page).click();
    const memo = (await memoOn(page)) ?? "";
    handlers.shift();
    await page.reload();
    await sees(page.getByText("Hive Keychain extension"));
    expect(await begin(page).count()).toBe(0);
    await sendTransfer(pages.shop.chain, { from: "bob", memo });
    await sees(content(page));
    expect(faults).toEqual([]);
  });

  test("paid by another person opens the page of the asker alone", async () => {
    const url = await sell();
    const { page } = await visit(url);
    await begin(page).click();
    const other = (await visit(url)).page;
    await begin(other).click();
    expect(await memoOn(other)).not.toBe(await memoOn(page));
    await sendTransfer(pages.shop.chain, { from: "carol", memo: (await memoOn(page)) ?? "" });
    await sees(content(page, "carol"));
    expect(await panel(other).isVisible()).toBe(true);
  });

  test("paid with too little says so, and opens the page after the right transfer", async () => {
    const { page } = await visit(await sell());
    await begin(page).click();
    const memo = (await memoOn(page)) ?? "";
    await sendTransfer(pages.shop.chain, { from: "bob", memo, mils: 49 });
    const status = () => page.locator("#transfer-status").textContent();
    const sentence = fill(said.paid_too_little, { amount: "0.049 HBD", payer: "bob" });
    const next = fill(said.sendRight, { amount: "0.050 HBD" });
    await expect.poll(status).toBe(`${sentence} ${said.noted}${next}`);
    await sendTransfer(pages.shop.chain, { from: "bob", memo });
    await sees(content(page));
  });

  test("that ended unpaid gives way to a new one, and still opens the page if it is paid late", async () => {
    const { page } = await visit(await sell());
    await begin(page).click();
    const memo = (await memoOn(page)) ?? "";
    await page.clock.fastForward("15:01");
    await sees(page.getByText(said.sendEnded));
    await seesNot(panel(page).getByText(words.otherWallet));
    await page.getByRole("button", { name: words.renew }).click();
    await sees(panel(page).getByText(words.otherWallet));
    expect(await memoOn(page)).not.toBe(memo);
    await sendTransfer(pages.shop.chain, { from: "bob", memo });
    await sees(content(page));
  });
});
