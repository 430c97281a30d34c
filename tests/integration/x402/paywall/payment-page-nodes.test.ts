import { describe, expect, test } from "vitest";
import { withPaywall } from "#lib/x402/next.ts";
import { payOn, preparePaymentPages } from "../../../harness/open-payment-page.ts";
import { serveFacilitator } from "../../../harness/serve-facilitator.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";

const pages = preparePaymentPages();
const { visit } = pages;

/** Sells at the shop's price without naming nodes, through the facilitator at an address. */
const sellBy = (facilitatorUrl: string) =>
  pages.serve((request) =>
    withPaywall({ ...pages.shop.price, facilitatorUrl }, () => new Response("paid content"))(request),
  );

/** Starts a facilitator for the shop's chain that reports these nodes. */
async function tellNodes(publicNodes: readonly string[]) {
  const facilitator = await startFacilitator(pages.shop.chain, { publicNodes });
  const door = await serveFacilitator(facilitator);
  return {
    url: door.url,
    async close() {
      await door.close();
      await facilitator.close();
    },
  };
}

describe("the payment page of a seller without nodes", () => {
  test("uses the facilitator's nodes, and a wallet can pay on it", async () => {
    const facilitator = await tellNodes(pages.shop.chain.urls);
    const { page, faults } = await visit(await sellBy(facilitator.url), "signs");
    await expect.poll(() => page.getByText(pages.shop.chain.urls[0] ?? "").isVisible()).toBe(true);
    await payOn(page);
    await expect.poll(() => page.getByText("paid content").isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await page.close();
    await facilitator.close();
  });

  test.each([
    ["en-GB", "No wallet can be offered here"],
    ["es-ES", "no se puede ofrecer ningún monedero"],
  ])("says that it can offer no wallet when the facilitator reports no nodes (%s)", async (locale, words) => {
    const { page } = await visit(await sellBy(pages.shop.door.url), "signs", locale);
    await expect.poll(() => page.getByText(words).isVisible()).toBe(true);
    expect(await page.content()).not.toMatch(/give this address|Hive Keychain extension/);
    expect(await page.locator("form").isVisible()).toBe(false);
    await page.close();
  });

  test("rejects invalid lists of nodes, and nodes of another chain", async () => {
    for (const extra of [{ nodes: ["javascript:alert(1)"] }, { nodes: [] }, { nodes: "http://a.example" }]) {
      const url = await pages.serve(() =>
        Response.json({
          kinds: [{ x402Version: 1, scheme: "exact", network: pages.shop.price.network, extra }],
        }),
      );
      const html = await (await fetch(await sellBy(url), { headers: { accept: "text/html" } })).text();
      expect(html).toContain("No wallet can be offered here");
    }
    const other = await pages.serve(() =>
      Response.json({ kinds: [{ network: "chain:mainnet", extra: { nodes: ["http://other.example"] } }] }),
    );
    const html = await (await fetch(await sellBy(other), { headers: { accept: "text/html" } })).text();
    expect(html).not.toContain("other.example");
  });

  test("has a readable title without a description", async () => {
    const html = await (
      await fetch(await sellBy(pages.shop.door.url), { headers: { accept: "text/html" } })
    ).text();
    expect(html).toContain("<title>Payment required: 0.050 HBD</title>");
  });
});

describe("the payment page of a seller with nodes and a network, but no chain id", () => {
  const chainId = "ab".repeat(32);
  const network = `hive:${chainId.slice(0, 32)}`;
  const node = "https://node.example";

  /** Returns the page for a facilitator that reports this about the network. */
  async function pageBy(extra: object | undefined, locale: string) {
    const facilitatorUrl = await pages.serve(() => Response.json({ kinds: [{ network, extra }] }));
    const terms = { ...pages.shop.price, facilitatorUrl, network, nodes: [node] };
    const url = await pages.serve((request) => withPaywall(terms, () => new Response("paid"))(request));
    const headers = { accept: "text/html", "accept-language": locale };
    return (await fetch(url, { headers })).text();
  }

  test.each([
    ["en", "give this chain id"],
    ["es", "pon este id de cadena"],
  ])("shows the facilitator's chain id and the seller's node (%s)", async (locale, words) => {
    for (const extra of [{ chainId }, { chainId, nodes: ["https://other.example"] }]) {
      const html = await pageBy(extra, locale);
      expect(html).toContain(words);
      expect(html).toContain(chainId);
      expect(html).toContain(node);
      expect(html).not.toContain("other.example");
    }
  });

  test.each([
    ["en", "give the chain&#39;s id (the seller has not named it: ask there)", "this chain id"],
    ["es", "pon el id de la cadena (el vendedor no lo ha indicado", "este id de cadena"],
  ])(
    "says that the chain id is missing if the facilitator names none or that of another chain (%s)",
    async (locale, words, pointer) => {
      for (const extra of [undefined, {}, { chainId: "cd".repeat(32) }]) {
        const html = await pageBy(extra, locale);
        expect(html.replaceAll("'", "&#39;")).toContain(words);
        expect(html).not.toContain(pointer);
      }
    },
  );
});
