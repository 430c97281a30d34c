import type { Locator } from "playwright";
import { describe, expect, test } from "vitest";
import { payOn, preparePaymentPages } from "../../../harness/open-payment-page.ts";

const pages = preparePaymentPages();
const { sell, visit } = pages;

const sees = (what: Locator) => expect.poll(() => what.isVisible()).toBe(true);

describe("the payment page and its wallet", () => {
  test("shows the wallet's reason for a refusal, and other possible causes", async () => {
    const { page } = await visit(await sell(() => new Response("content")), "user_cancel");
    await payOn(page);
    await sees(page.getByText("or it has no account @alice or not its active key"));
    await sees(page.getByText("Keychain says: Request was canceled by the user."));
    await page.close();
  });

  test("shows the transaction and the time left while the wallet asks, and after 10 s where to look", async () => {
    const { page } = await visit(await sell(() => new Response("content")), "waits");
    await payOn(page);
    await sees(page.getByText("Keychain asks you to sign 0.050 HBD to @shop; open Transaction to check."));
    await sees(page.getByText(/The offer holds for 4:\d\d more\./));
    expect(await page.getByText("Keychain has not answered").isVisible()).toBe(false);
    await page.clock.fastForward(10_000);
    await sees(page.getByText("Keychain has not answered: look for its window; is it unlocked and set up?"));
    await page.evaluate("answerWallet()");
    await sees(page.getByText("content", { exact: true }));
    await page.close();
  });

  test("lets the payer stop waiting: a late signature pays nothing, and the next press asks again", async () => {
    const before = await pages.shop.balances();
    const { page, signed } = await visit(await sell(() => new Response("content")), "waits");
    const button = page.getByRole("button", { name: "Pay with Hive Keychain" });
    await payOn(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await sees(page.getByText("Nothing was paid. Press the button to start again."));
    await button.click();
    await sees(page.getByText("Close its window first"));
    await page.evaluate("answerWallet()");
    expect(signed).toHaveLength(1);
    await sees(page.getByText("Keychain signed when this page no longer waited. Nothing was paid."));
    await button.click();
    await sees(page.getByText("Keychain asks you to sign"));
    expect(await pages.shop.balances()).toEqual(before);
    await page.evaluate("answerWallet()");
    await sees(page.getByText("content", { exact: true }));
    expect((await pages.shop.balances()).alice).toBe(before.alice - 50);
    await page.close();
  });

  test("locks no one out when a wallet does not answer or answers an earlier request", async () => {
    const { page } = await visit(await sell(() => new Response("content")), "waits");
    const button = page.getByRole("button", { name: "Pay with Hive Keychain" });
    await payOn(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await button.click();
    await sees(page.getByText("Close its window first"));
    await button.click();
    await sees(page.getByText("Keychain asks you to sign"));
    // The first request is answered while the second is open.
    await page.evaluate("answerWallet(0)");
    await page.clock.fastForward(10_000);
    await sees(page.getByText("Keychain has not answered"));
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => button.isEnabled()).toBe(true);
    await page.close();
  });

  test("reports an offer that expires while the wallet asks, and the next press requests a new one", async () => {
    const { page } = await visit(await sell(() => new Response("content")), "waits");
    await payOn(page);
    await sees(page.getByText("Keychain asks you to sign"));
    await page.clock.fastForward(300_000);
    await sees(page.getByText("The offer ran out before it was signed. Nothing was paid."));
    await page.evaluate("answerWallet()");
    await page.getByRole("button", { name: "Pay with Hive Keychain" }).click();
    await sees(page.getByText(/The offer holds for 4:\d\d more\./));
    await page.evaluate("answerWallet()");
    await sees(page.getByText("content", { exact: true }));
    await page.close();
  });

  test("renews an offer close to expiry before the wallet asks", async () => {
    const shop = await sell(() => new Response("content"));
    const soon = new Date(Date.now() + 120_000).toISOString();
    const url = await pages.serve(async ({ headers }) => {
      const answer = await fetch(shop, { headers });
      const body = await answer.text();
      const isPage = answer.headers.get("content-type")?.startsWith("text/html");
      const passed = ["content-type", "x-payment-response"].map((name) => [
        name,
        answer.headers.get(name) ?? "",
      ]);
      return new Response(isPage ? body.replace(/"validBefore":"[^"]+"/, `"validBefore":"${soon}"`) : body, {
        status: answer.status,
        headers: Object.fromEntries(passed),
      });
    });
    const { page } = await visit(url, "waits");
    await payOn(page);
    await sees(page.getByText(/The offer holds for 4:\d\d more\./));
    await page.evaluate("answerWallet()");
    await sees(page.getByText("content", { exact: true }));
    await page.close();
  });

  test("keeps the payment valid for the next press after an intermediary's answer without a receipt", async () => {
    const before = await pages.shop.balances();
    const { page, signed } = await visit(await sell(() => new Response("content")), "signs");
    let isAway = true;
    await page.route("**", (route) =>
      isAway && route.request().headers()["x-payment"] !== undefined
        ? route.fulfill({ status: 200, contentType: "text/html", body: "please sign in to this network" })
        : route.continue(),
    );
    await payOn(page);
    await sees(page.getByText("The server can't be reached. Press the button to try again."));
    isAway = false;
    await page.getByRole("button", { name: "Pay with Hive Keychain" }).click();
    await sees(page.getByText("content", { exact: true }));
    expect(signed).toHaveLength(1);
    expect((await pages.shop.balances()).alice).toBe(before.alice - 50);
    await page.close();
  });

  test("reports a missing wallet, and withdraws the report when a wallet appears", async () => {
    const { page } = await visit(await sell(() => new Response("content")));
    const missing = page.getByText("Hive Keychain extension");
    await sees(missing);
    expect(await page.getByRole("link", { name: "Hive Keychain extension" }).getAttribute("href")).toBe(
      "https://hive-keychain.com",
    );
    await page.evaluate("window.hive_keychain = {}");
    await sees(page.getByRole("button", { name: "Pay with Hive Keychain" }));
    await expect.poll(() => missing.isVisible()).toBe(false);
    await page.close();
  });

  test("leads to where a paid answer redirects, and forgets the payment", async () => {
    const target = await pages.serve(async () => new Response("the download"));
    const { page, signed } = await visit(await sell(() => Response.redirect(target, 303)), "signs");
    const address = page.url();
    await payOn(page);
    await sees(page.getByText("the download", { exact: true }));
    expect(page.url()).toBe(`${target}/`);
    await page.goto(address);
    await sees(page.getByRole("button", { name: "Pay with Hive Keychain" }));
    expect(signed).toHaveLength(1);
    await page.close();
  });
});
