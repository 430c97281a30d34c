import { describe, expect, test } from "vitest";
import type { PaywallOptions } from "#lib/x402/express.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { boughtPage } from "#lib/x402/paywall/payment-page.ts";
import { fill, pageTexts } from "#lib/x402/paywall/payment-page-texts.ts";
import { preparePaymentPages } from "../../../harness/open-payment-page.ts";

const { page: words, script: said } = pageTexts.es;

const pages = preparePaymentPages();

const sell = (language?: PaywallOptions<Request>["language"]) =>
  pages.sell(() => Response.json({ title: "Un artículo", body: "Primer *párrafo*." }), {
    description: "Un artículo",
    ...(language && { language }),
  });

const pageFor = async (url: string, acceptLanguage: string) => {
  const response = await fetch(url, { headers: { accept: "text/html", "accept-language": acceptLanguage } });
  return { html: await response.text(), language: response.headers.get("content-language") };
};

/** Every sentence of the page in English. None of them may appear on the page in another language. */
const english = Object.values(pageTexts.en.page).flatMap((text) =>
  text.split(/\{\w+\}/).filter((part) => part.length > 12),
);

describe("the payment page's language", () => {
  test("is the browser's preferred language in the whole page, from the first byte", async () => {
    const url = await sell();
    const { html, language } = await pageFor(url, "es-AR,es;q=0.9,en;q=0.5");
    expect(language).toBe("es");
    expect(html).toContain('<html lang="es" dir="ltr">');
    const otherChain = fill(words.otherChain, { chainId: words.thisChainId });
    for (const text of [words.kicker, words.account, words.pay, words.cancel, words.about, otherChain])
      expect(html).toContain(text);
    expect(english.filter((text) => html.includes(text))).toEqual([]);
    for (const other of ["en-GB,es;q=0.5", "de"])
      expect((await pageFor(url, other)).html).toContain('<html lang="en" dir="ltr">');
  });

  test("is set by the seller or read from the request, and is the browser's if that fails", async () => {
    const fixed = await sell("es");
    expect((await pageFor(fixed, "en")).language).toBe("es");
    const chosen = await sell((request) => (request.url.endsWith("?hl=es") ? "es" : null));
    expect((await pageFor(`${chosen}?hl=es`, "en")).language).toBe("es");
    expect((await pageFor(chosen, "en")).language).toBe("en");
    const failing = await sell(() => {
      throw new Error("no session");
    });
    expect((await pageFor(failing, "es")).language).toBe("es");
  });

  test("is refused on creation if it is not supported", () => {
    for (const language of ["de", "toString"])
      expect(() =>
        withPaywall({ ...pages.shop.price, language: language as "en" }, () => new Response("x")),
      ).toThrow('language must be "en" or "es"');
  });

  test("applies during the payment and to the receipt", async () => {
    const { page, faults } = await pages.visit(await sell(), "waits", "es-ES");
    await page.context().grantPermissions(["clipboard-write"]);
    await page.getByRole("button", { name: "Copiar el id de la cadena" }).click();
    await expect.poll(() => page.getByRole("status").getByText("Copiado").isVisible()).toBe(true);
    await page.getByLabel(words.account).fill("alice");
    await page.getByRole("button", { name: words.pay }).click();
    await expect
      .poll(() => page.getByText("Keychain te pide firmar 0.050 HBD para @shop").isVisible())
      .toBe(true);
    await page.evaluate("answerWallet()");
    const receipt = page.getByText(/^Pagado por @alice, transacción [0-9a-f]{40} en el bloque \d+\.$/);
    await expect.poll(() => receipt.isVisible()).toBe(true);
    await expect.poll(() => page.getByText(words.content, { exact: true }).isVisible()).toBe(true);
    await page.reload();
    const kept = page.getByText(/^Pagado el .+: 0\.050 HBD por @alice, transacción [0-9a-f]{40}/);
    await expect.poll(() => kept.isVisible()).toBe(true);
    await expect.poll(() => page.getByRole("button", { name: words.again }).isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
  });

  test("applies to refusals", async () => {
    const { page } = await pages.visit(await sell(), "signs", "es-ES");
    await page.getByLabel(words.account).fill("bob");
    await page.getByRole("button", { name: words.pay }).click();
    const refusal = page.getByText(pageTexts.es.refusals.authority_not_satisfied ?? "?");
    await expect.poll(() => refusal.isVisible()).toBe(true);
    await page.close();
  });
});

describe("the page of an earlier purchase", () => {
  const bought = {
    title: `<b>Title</b>`,
    text: "First *soft*.\n\n<script>alert(1)</script>",
    textLanguage: "en",
    receipt: { payer: "alice", txId: "a".repeat(40), blockNum: 7, amount: "0.050 HBD" },
  };

  test("shows formatted text and the receipt, and plain text without JavaScript", async () => {
    const { body, headers } = boughtPage(bought, "es");
    const url = await pages.serve(() => new Response(body, { headers }));
    const { page, faults } = await pages.visit(url);
    expect(await page.locator("h1").textContent()).toBe("<b>Title</b>");
    expect(await page.locator("#content em").textContent()).toBe("soft");
    expect(await page.locator("#content").getAttribute("lang")).toBe("en");
    expect(await page.getByText("<script>alert(1)</script>").isVisible()).toBe(true);
    const receipt = fillReceipt(said.paidBefore);
    expect(await page.getByText(receipt).isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
    const plain = await pages.browser.newPage({ javaScriptEnabled: false });
    await plain.goto(url);
    expect(await plain.getByText("First *soft*.").isVisible()).toBe(true);
    await plain.close();
  });
});

const fillReceipt = (text: string) =>
  text
    .replace("{on}", "")
    .replace("{amount}", "0.050 HBD")
    .replace("{payer}", "alice")
    .replace("{transaction}", `${"a".repeat(40)} en el bloque 7`);
