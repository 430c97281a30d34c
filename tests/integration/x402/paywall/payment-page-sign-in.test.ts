import type { Locator } from "playwright";
import { describe, expect, test } from "vitest";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { comeBackOn, preparePaymentPages } from "../../../harness/open-payment-page.ts";

const pages = preparePaymentPages();
const sees = (what: Locator) => expect.poll(() => what.isVisible()).toBe(true);

/** Sells content that alice has already bought outside the browser. */
async function sellToAlice() {
  const url = await pages.sell(() => new Response("content"), {
    store: createMemoryClaimStore(),
    access: { for: "30d" },
  });
  await askPaid(url, await pages.shop.payFor(url));
  return url;
}

describe("the payment page", () => {
  test("opens a purchase for a posting key's signature, without a payment", async () => {
    const url = await sellToAlice();
    const before = await pages.shop.balances();
    const { page, faults, signed } = await pages.visit(url, "signs");
    await comeBackOn(page);
    await sees(page.getByText("content", { exact: true }));
    await sees(page.getByText("It was bought before: nothing was charged this time."));
    expect([faults, signed, await pages.shop.balances()]).toEqual([[], [], before]);
    await page.close();
  });

  test("tells an account that it has not bought the page, and lets it pay", async () => {
    const url = await sellToAlice();
    const { page } = await pages.visit(url, "signs");
    await comeBackOn(page, "bob");
    await sees(page.getByText("The account that signed in has not bought this"));
    expect(await page.getByRole("button", { name: "Pay with Hive Keychain" }).isEnabled()).toBe(true);
    await page.close();
  });

  test("names the posting key when the wallet does not sign in", async () => {
    const { page } = await pages.visit(await sellToAlice(), "user_cancel");
    await comeBackOn(page);
    await sees(page.getByText("or it has no account @alice or not its posting key. Nothing was paid."));
    await page.close();
  });

  test("signs in on the second press if the wallet answered the first one too late", async () => {
    const { page } = await pages.visit(await sellToAlice(), "waits");
    await comeBackOn(page);
    await sees(page.getByText("Keychain asks you to sign in with your posting key; that costs nothing."));
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.evaluate("answerWallet()");
    await sees(page.getByText("Keychain signed when this page no longer waited."));
    await comeBackOn(page);
    await sees(page.getByText("Keychain asks you to sign in"));
    await page.evaluate("answerWallet()");
    await sees(page.getByText("content", { exact: true }));
    await page.close();
  });

  test("offers no sign-in where purchases are not stored", async () => {
    const { page } = await pages.visit(await pages.sell(() => new Response("content")), "signs");
    await sees(page.getByRole("button", { name: "Pay with Hive Keychain" }));
    const back = page.getByRole("button", { name: "Sign in: I have bought this before" });
    expect(await back.isVisible()).toBe(false);
    await page.close();
  });
});
