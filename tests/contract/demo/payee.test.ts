import { afterEach, describe, expect, test } from "vitest";
import { articles } from "../../../lib/demo-shop/articles.ts";
import { offerOf } from "../../harness/ask-paid.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";

const paths = articles.map(({ slug }) => `/api/demo/articles/${slug}`);
const PUBLIC_URL = "https://chat.example.com";

let gateway: Gateway;
afterEach(() => gateway.close());

/** A live server of the main chain, whose nodes are not needed to offer anything. */
const startLive = async (account: string) => {
  gateway = await startGateway({ settings: { PUBLIC_URL, PAYWALL_ACCOUNT: account } });
};

describe("on the main chain with PAYWALL_ACCOUNT", () => {
  test("offers every article for that account", async () => {
    await startLive("myseller");
    for (const path of paths)
      expect(await offerOf(await fetch(gateway.url + path))).toMatchObject({
        payTo: "myseller",
        network: "chain:mainnet",
      });
  });

  test("lists the articles, and names their addresses to crawlers", async () => {
    await startLive("myseller");
    const list = await fetch(`${gateway.url}/api/demo/articles`);
    expect(await readChecked("GET", list)).toMatchObject({
      articles: articles.map(({ slug }) => ({ slug })),
    });
    const crawled = await fetch(`${gateway.url}/.well-known/x402`);
    expect(await readChecked("GET", crawled)).toMatchObject({
      resources: paths.map((path) => PUBLIC_URL + path),
    });
  });
});

describe("on the main chain without PAYWALL_ACCOUNT", () => {
  test.each(["/api/demo/articles", ...paths])(
    "returns 404 for %s and names the missing setting",
    async (path) => {
      await startLive("");
      for (const accept of ["application/json", "text/html"]) {
        const response = await fetch(gateway.url + path, { headers: { accept } });
        expect(response.status).toBe(404);
        expect(await readChecked("GET", response)).toMatchObject({
          code: "not_found",
          error: expect.stringContaining("PAYWALL_ACCOUNT"),
        });
      }
    },
  );

  test("names no address to crawlers", async () => {
    await startLive("");
    const crawled = await fetch(`${gateway.url}/.well-known/x402`);
    expect(await readChecked("GET", crawled)).toMatchObject({ resources: [] });
  });

  test("lets people tip each other", async () => {
    await startLive("");
    const tip = await fetch(`${gateway.url}/api/demo/tips?to=bob&amount=0.100`, { method: "POST" });
    expect(await offerOf(tip)).toMatchObject({ payTo: "bob", network: "chain:mainnet" });
  });
});
