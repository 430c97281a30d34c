import { build } from "esbuild";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withPaywall } from "#lib/x402/next.ts";
import { makeOffer, serveOffers } from "../../../harness/serve-offers.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { startBrowser } from "../../../harness/start-browser.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
let browser: Browser;
let server: WebServer;
const elsewhere: Array<string | null> = [];
beforeAll(async () => {
  [shop, browser] = await Promise.all([startShop(), startBrowser()]);
  const { outputFiles } = await build({
    stdin: {
      contents: `import * as client from "./lib/x402/client/index.ts"; window.client = client;`,
      resolveDir: process.cwd(),
    },
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const other = await serveWeb((request) => {
    elsewhere.push(request.headers.get("x-payment"));
    return new Response("elsewhere", {
      headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "*" },
    });
  });
  const paid = withPaywall(shop.price, async (request, { payer }) =>
    Response.json({ payer, body: await request.text() }),
  );
  server = await serveWeb((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/paid") return paid(request);
    if (pathname === "/moved")
      return request.headers.has("x-payment")
        ? Response.redirect(other.url, 307)
        : Response.json({ accepts: [makeOffer()] }, { status: 402 });
    return new Response(
      pathname === "/client.js" ? script : "<!doctype html><script src=/client.js></script>",
      {
        headers: { "content-type": pathname === "/client.js" ? "text/javascript" : "text/html" },
      },
    );
  });
});
afterAll(async () => {
  await browser.close();
  await server.close();
  await shop.close();
});

/** Serves the shop's node at another address, and records the methods of the requests. */
async function serveRecordedNode(): Promise<WebServer & { methods: string[] }> {
  const methods: string[] = [];
  const node = await serveWeb(async (request) => {
    methods.push(request.method);
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
    const answer = await fetch(shop.chain.urls[0] ?? "", { method: "POST", body: await request.text() });
    return new Response(answer.body, { headers });
  });
  return { ...node, methods };
}

async function inPage<T>(work: string): Promise<T> {
  const page = await browser.newPage();
  await page.goto(server.url);
  try {
    return (await page.evaluate(
      `(async () => { const pay = client.createPayingFetch(${JSON.stringify(shop.purse())}); ${work} })()`,
    )) as T;
  } finally {
    await page.close();
  }
}

describe("the client in a browser", () => {
  test("pays and sends the body again with the payment", async () => {
    const before = await shop.balances();
    expect(
      await inPage(
        `const response = await pay("/paid", { method: "POST", body: "text" }); return response.json();`,
      ),
    ).toEqual({ payer: "alice", body: "text" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("asks chain nodes without a preflight request", async () => {
    const node = await serveRecordedNode();
    const purse = JSON.stringify({ ...shop.purse(), nodes: [node.url] });
    expect(
      await inPage(`return client.createPayingFetch(${purse})("/paid").then(({ status }) => status);`),
    ).toBe(200);
    expect(new Set(node.methods)).toEqual(new Set(["POST"]));
    await node.close();
  });

  test("removes the payment when the paid request is redirected", async () => {
    expect(
      await inPage(`return pay("/moved").then(() => "followed", ({ name, code }) => ({ name, code }));`),
    ).toEqual({ name: "PaymentError", code: "redirected_after_payment" });
    expect(elsewhere.filter((payment) => payment !== null)).toEqual([]);
  });

  test("does not pay a server of another origin that hides its offer from scripts", async () => {
    const offers = await serveOffers([makeOffer()]);
    const outcome = await inPage(`return pay(${JSON.stringify(offers.url)}).catch((error) => error.name);`);
    // Without CORS headers the browser hides the answer, so the client signs nothing.
    expect(outcome).toBe("TypeError");
    expect(offers.payments()).toEqual([]);
    await offers.close();
  });
});
