import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { HEADER_PAYMENT } from "#lib/x402/header.ts";
import { makeOffer, serveOffers } from "../../../harness/serve-offers.ts";
import { startScriptedNode } from "../../../harness/start-scripted-node.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const closing: Array<() => Promise<unknown>> = [];
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

describe("a seller who asks to retry later", () => {
  /**
   * Returns how often the payment was sent within this many milliseconds of the first answer, by a mocked
   * clock.
   */
  async function sentAfter(ms: number, headers: Record<string, string>) {
    let sent = 0;
    const payingFetch = shop.payer({
      async fetch(_input, init) {
        if (!new Headers(init?.headers).has(HEADER_PAYMENT))
          return Response.json({ accepts: [makeOffer()] }, { status: 402 });
        sent += 1;
        if (sent > 1) return new Response("content");
        vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
        return new Response(null, { status: 503, headers });
      },
    });
    const answer = payingFetch("http://shop.example/article");
    while (sent === 0) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(ms);
    const count = sent;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await (await answer).text()).toBe("content");
    return count;
  }

  test.each([
    ["without a time is asked again after a second", {}, 1000],
    ["with a time is asked again then", { "retry-after": "7" }, 7000],
    ["with a long time is asked again after ten seconds", { "retry-after": "86400" }, 10_000],
    ["with a nonsensical time is asked again after a second", { "retry-after": "soon" }, 1000],
  ])("%s, and not before", async (_, headers, ms) => {
    expect([await sentAfter(ms - 1, headers), await sentAfter(ms, headers)]).toEqual([1, 2]);
  });
});

test("the client follows five redirects and no sixth", async () => {
  const chain = async (length: number) => {
    const server = await serveOffers([makeOffer()], {
      paid: (_request, count) =>
        count > length
          ? new Response("content")
          : new Response(null, { status: 307, headers: { location: `/${count}` } }),
    });
    closing.push(server.close);
    return shop.payer()(server.url);
  };
  expect(await (await chain(5)).text()).toBe("content");
  await expect(chain(6)).rejects.toMatchObject({ code: "redirected_after_payment" });
});

test.each([
  "data:text/plain,content",
  "blob:http://shop.example/1",
  "file:///etc/hosts",
  "ftp://shop.example/",
])("a redirect away from the web, to %s, is refused and not treated as content", async (location) => {
  const server = await serveOffers([makeOffer()], {
    paid: () => new Response(null, { status: 302, headers: { location } }),
  });
  closing.push(server.close);
  await expect(shop.payer()(server.url)).rejects.toMatchObject({ code: "redirected_after_payment" });
  expect(server.payments()).toHaveLength(1);
});

test("aborting a call while it reads the chain's time rejects it with an AbortError", async () => {
  const node = await startScriptedNode(shop.chain.chainId, () => "hang");
  const server = await serveOffers([makeOffer()]);
  closing.push(node.close, server.close);
  const gone = new AbortController();
  const answer = shop.payer({ nodes: [node.url, node.url] })(server.url, { signal: gone.signal });
  await expect.poll(() => node.calls.length).toBe(1);
  gone.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  expect(server.payments()).toEqual([]);
});
