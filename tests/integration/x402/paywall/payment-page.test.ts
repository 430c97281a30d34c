import type { Locator, Page } from "playwright";
import { describe, expect, test } from "vitest";
import { MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID } from "#lib/chains.ts";
import { prefersHtml } from "#lib/x402/paywall/answer.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { paymentPage } from "#lib/x402/paywall/payment-page.ts";
import { offerOf } from "../../../harness/ask-paid.ts";
import { payOn, preparePaymentPages } from "../../../harness/open-payment-page.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";

const pages = preparePaymentPages();
const { sell, visit } = pages;

const payButton = (page: Page) => page.getByRole("button", { name: "Pay with Hive Keychain" });
const sees = (what: Locator) => expect.poll(() => what.isVisible()).toBe(true);

describe("the payment page", () => {
  test("shows price, payee and resource, as a 402 whose header carries the offer", async () => {
    const url = await sell(() => new Response("content"));
    const response = await fetch(url, { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      402,
      "text/html; charset=utf-8",
    ]);
    const html = await response.text();
    for (const text of ["0.050 HBD", "@shop", "An article", url]) expect(html).toContain(text);
    const plain = await fetch(url);
    expect(response.headers.get("x-payment")?.length).toBe(plain.headers.get("x-payment")?.length);
  });

  test("is not sent to programs", async () => {
    const url = await sell(() => new Response("content"));
    for (const accept of [
      "*/*",
      "application/json",
      "application/json, text/html;q=0.5",
      "application/json, text/html",
      "application/json, text/plain, */*",
      "text/html;q=0",
    ])
      expect((await offerOf(await fetch(url, { headers: { accept } }))).payTo).toBe("shop");
    expect([prefersHtml("text/html"), prefersHtml(""), prefersHtml("TEXT/HTML;q=0.9, */*")]).toEqual([
      true,
      false,
      true,
    ]);
    expect(prefersHtml("text/html, application/json")).toBe(true);
  });

  test("names the wallet to install if there is none, with the chain's data but no pay button", async () => {
    const { page, faults } = await visit(await sell(() => new Response("content")));
    await expect.poll(() => page.getByText("Hive Keychain extension").isVisible()).toBe(true);
    expect(await payButton(page).count()).toBe(0);

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const { chainId, urls } = pages.shop.chain;
    const copied = page.getByRole("status").filter({ hasText: "Copied" });
    for (const [name, text] of [
      ["Copy the node's address", urls[0]],
      ["Copy the chain id", chainId],
    ] as const) {
      await page.keyboard.press("Tab");
      expect(
        await page.getByRole("button", { name }).evaluate((button) => button === document.activeElement),
      ).toBe(true);
      await page.keyboard.press("Enter");
      await sees(copied);
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
      await page.clock.fastForward(2000);
      await expect.poll(() => copied.count()).toBe(0);
    }
    expect(faults).toEqual([]);
    await page.close();
  });

  test("pays with Hive Keychain and shows the article and the receipt", async () => {
    const before = await pages.shop.balances();
    const body = "First paragraph.\n\nSecond <b>paragraph</b>.";
    const { page, faults } = await visit(
      await sell(() => Response.json({ title: "Paid title", body })),
      "signs",
    );
    await payOn(page);
    await expect.poll(() => page.getByRole("heading", { name: "Paid title" }).isVisible()).toBe(true);
    await sees(page.getByText("Second <b>paragraph</b>."));
    await sees(page.getByText(/Paid by @alice, transaction [0-9a-f]{40} in block \d+\./));
    expect((await pages.shop.balances()).alice).toBe(before.alice - 50);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("shows a paid page without running its scripts", async () => {
    const html = "<h1>Hello</h1><script>parent.document.title = 'taken over'</script>";
    const url = await sell(() => new Response(html, { headers: { "content-type": "text/html" } }));
    const { page } = await visit(url, "signs");
    await payOn(page);
    await expect.poll(() => page.frameLocator("iframe").getByText("Hello").isVisible()).toBe(true);
    expect(await page.title()).toBe("An article");
    await page.close();
  });

  test("pays nothing when the wallet refuses, and can retry", async () => {
    const before = await pages.shop.balances();
    const { page } = await visit(await sell(() => new Response("content")), "user_cancel");
    await payOn(page);
    await expect.poll(() => page.getByText("You cancelled").isVisible()).toBe(true);
    await expect.poll(() => payButton(page).isEnabled()).toBe(true);
    expect(await pages.shop.balances()).toEqual(before);
    await page.close();
  });

  test("formats Markdown without running any script in it", async () => {
    const body = [
      "First **strong** and *soft* `code`.",
      "## A part",
      "1. one\n2. two",
      "> said\n> twice",
      "```\n<i>raw</i>\n```",
      "[web](https://example.com/a) [trap](javascript:alert(1)) <img src=x onerror=alert(1)>",
    ].join("\n\n");
    const { page, faults } = await visit(await sell(() => Response.json({ title: "Title", body })), "signs");
    await payOn(page);
    const content = page.getByRole("region", { name: "Paid content" });
    await sees(content.getByRole("heading", { name: "A part" }));
    expect(await content.locator("strong, em, code, blockquote, pre").allInnerTexts()).toEqual([
      "strong",
      "soft",
      "code",
      "said twice",
      "<i>raw</i>",
    ]);
    expect(await content.getByRole("listitem").allInnerTexts()).toEqual(["one", "two"]);
    expect(await content.getByRole("link").allInnerTexts()).toEqual(["web"]);
    expect(await content.locator("img").count()).toBe(0);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("stores the receipt, so that a returning reader sees payment, payer and transaction", async () => {
    const { page } = await visit(await sell(() => new Response("content")), "signs");
    await payOn(page);
    await sees(page.getByText(/Paid by @alice, transaction [0-9a-f]{40}/));
    await sees(page.getByText("content", { exact: true }));
    await page.reload();
    await sees(
      page.getByText(/Paid for on .+: 0\.050 HBD by @alice, transaction [0-9a-f]{40} in block \d+\./),
    );
    const other = new URL(page.url());
    other.searchParams.set("page", "2");
    await page.goto(other.href);
    await sees(page.getByRole("button", { name: "Pay with Hive Keychain" }));
    expect(await page.getByText(/Paid for on/).isVisible()).toBe(false);
    await page.goBack();
    const before = await pages.shop.balances();
    // The free option comes before paying once more.
    await expect
      .poll(() => page.getByRole("button", { name: /Read|Pay/ }).allInnerTexts())
      .toEqual(["Read it again, for nothing", "Pay with Hive Keychain"]);
    await page.getByRole("button", { name: "Read it again, for nothing" }).click();
    await sees(page.getByText("content", { exact: true }));
    await sees(page.getByText("Paid content", { exact: true }));
    expect(await page.getByText("402").isVisible()).toBe(false);
    expect(await page.title()).toBe("An article");
    expect(await pages.shop.balances()).toEqual(before);
    await page.close();
  });

  test("tells an owner who signs once more that nothing was charged", async () => {
    const url = await sell(() => new Response("content"), { access: { for: "30d", account: () => null } });
    const first = await visit(url, "signs");
    await payOn(first.page);
    await sees(first.page.getByText("content", { exact: true }));
    expect(await first.page.getByText("nothing was charged").count()).toBe(0);
    await first.page.close();
    const { alice } = await pages.shop.balances();
    const { page } = await visit(url, "signs");
    await payOn(page);
    await sees(page.getByText("It was bought before: nothing was charged this time."));
    expect((await pages.shop.balances()).alice).toBe(alice);
    await page.close();
  });

  test("repeats the request after a server failure without paying again", async () => {
    let isBroken = true;
    const before = await pages.shop.balances();
    const url = await sell(() => (isBroken ? new Response(null, { status: 500 }) : new Response("content")));
    const { page } = await visit(url, "signs");
    await payOn(page);
    await expect.poll(() => page.getByText("not be charged twice").isVisible()).toBe(true);
    isBroken = false;
    await payButton(page).click();
    await expect.poll(() => page.getByText("content", { exact: true }).isVisible()).toBe(true);
    expect((await pages.shop.balances()).alice).toBe(before.alice - 50);
    await page.close();
  });

  test.each(["broadcast_rejected", "payment_rejected"])(
    "sends the same payment again after %s, and signs no second one",
    async (code) => {
      const { door } = pages.shop;
      door.treat((path) =>
        path === "/settle" ? { change: () => ({ success: false, errorReason: code }) } : "pass",
      );
      const { page, signed } = await visit(await sell(() => new Response("The article.")), "signs");
      await payOn(page);
      await sees(page.getByText(/refused the payment/));
      door.treat(() => "pass");
      await payButton(page).click();
      await sees(page.getByText("The article."));
      expect(signed).toHaveLength(1);
    },
  );

  test("shows the receipt of an answer that breaks off, and sends the same payment again", async () => {
    let isWhole = false;
    const before = await pages.shop.balances();
    let cut = () => {};
    const half = () =>
      new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode("con"));
          cut = () => stream.error(new Error("cut"));
        },
      });
    const url = await sell(() => new Response(isWhole ? "content" : half()), {
      store: createMemoryClaimStore(),
      access: { for: "1d", account: ({ headers }) => (headers.has("x-payment") ? "alice" : null) },
    });
    const { page, signed } = await visit(url, "signs");
    const arrived = page.waitForResponse((response) => "x-payment-response" in response.headers());
    await payOn(page);
    await arrived;
    cut();
    await sees(page.getByText("the answer broke off"));
    await sees(page.getByText(/Paid by @alice, transaction [0-9a-f]{40}/));
    isWhole = true;
    await payButton(page).click();
    await sees(page.getByText("content", { exact: true }));
    await page.reload();
    await page.getByRole("button", { name: "Read it again, for nothing" }).click();
    await sees(page.getByText("content", { exact: true }));
    expect([signed.length, (await pages.shop.balances()).alice]).toEqual([1, before.alice - 50]);
    await page.close();
  });

  test("fits a phone's screen in light and dark", async () => {
    const { page } = await visit(
      await sell(() => new Response("content"), { description: "word".repeat(60) }),
      "signs",
    );
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    }
    await page.close();
  });
});

describe("the payment page's HTML", () => {
  const hostile = `</script><script>alert(1)</script>"'&<img src=x onerror=alert(1)>`;
  const required = {
    x402Version: 1,
    error: hostile,
    code: "x",
    accepts: [makeOffer({ description: hostile, resource: hostile }) as never],
  };
  const nodes = ["http://127.0.0.1:9"];
  const { body, headers } = paymentPage(required, { chainId: SANDBOX_CHAIN_ID, nodes });

  test("names the chain, and off the main chain the wallet's required settings", () => {
    for (const part of [
      "chain:sandbox",
      SANDBOX_CHAIN_ID,
      "http://127.0.0.1:9",
      "This is not Hive's main chain",
    ])
      expect(body).toContain(part);
    const onMainnet = paymentPage(required, { chainId: MAINNET_CHAIN_ID, nodes }).body;
    expect(onMainnet).toContain("Hive's main chain");
    expect(onMainnet).not.toContain("This is not");
  });

  test("never treats an offer's text as markup", () => {
    expect(body.match(/<script/g)).toHaveLength(2);
    expect(body).not.toContain("<img");
  });

  test("has a content security policy without unsafe sources", () => {
    const policy = headers.find(([name]) => name === "content-security-policy")?.[1] ?? "";
    expect(policy).toMatch(/default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
    expect(policy).not.toMatch(/unsafe|\*(?!\.)/);
  });
});
