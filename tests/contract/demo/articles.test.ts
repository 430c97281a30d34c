import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payForArticle } from "../../../lib/cli/pay-for-article.ts";
import type { SandboxInfo } from "../../../lib/config.ts";
import { articles } from "../../../lib/demo-shop/articles.ts";
import { createPayingFetch, signPayment } from "../../../lib/x402/client/index.ts";
import { sandboxAccounts } from "../../../sandbox/accounts.ts";
import { askPaid, offerOf, receiptOf } from "../../harness/ask-paid.ts";
import { createAuthClient } from "../../harness/auth-client.ts";
import { balancesOf } from "../../harness/balances-of.ts";
import { readChecked } from "../../harness/check-answer.ts";
import { postingKey } from "../../harness/form-access-token.ts";
import { presentClaim, sendTransfer, transferOfferOf } from "../../harness/send-transfer.ts";
import { askSignedIn } from "../../harness/sign-in.ts";
import { type Gateway, startGateway } from "../../harness/start-gateway.ts";
import { type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";
import { wifOf } from "../../harness/start-shop.ts";

let chain: SandboxChain;
let gateway: Gateway;
let list: string;
beforeEach(async () => {
  chain = await startSandboxChain({ blockIntervalMs: 100 });
  const { url, chainId } = chain;
  const sandbox: SandboxInfo = {
    accounts: sandboxAccounts.map(({ name, keys }) => ({
      name,
      hbd: "",
      keys: Object.fromEntries(Object.entries(keys).map(([role, { privateKey }]) => [role, privateKey])),
    })),
    chat: null,
    chain: { url, chainId },
  };
  const settings = { HIVE_NODES: url, HIVE_CHAIN_ID: chainId, X402_NETWORK: "chain:sandbox" };
  gateway = await startGateway({ settings, sandbox });
  list = `${gateway.url}/api/demo/articles`;
});
afterEach(async () => {
  await gateway.close();
  await chain.close();
});

const purse = (account = "alice") => ({
  account,
  activeKey: wifOf(account),
  nodes: [chain.url],
  chainId: chain.chainId,
});

describe("GET /api/demo/articles", () => {
  test("lists at least three articles with slug, title, price and teaser, for free", async () => {
    const response = await fetch(list);
    const body = (await readChecked("GET", response)) as { articles: Array<Record<string, string>> };
    expect([response.status, body.articles.length >= 3]).toEqual([200, true]);
    for (const article of body.articles) {
      expect(Object.keys(article).sort()).toEqual(["price", "slug", "teaser", "title"]);
      expect(article.price).toBe("0.050 HBD");
      expect(article.slug).toMatch(/^[a-z0-9-]+$/);
    }
  });

  test("lists articles of 300 words or more", () => {
    for (const { body } of articles) expect(body.split(/\s+/).length).toBeGreaterThanOrEqual(300);
  });
});

describe("GET /api/demo/articles/{slug}", () => {
  test("asks for a payment of 0.050 HBD to shop, on the sandbox's network", async () => {
    const address = `${list}/${articles[0]?.slug}`;
    const response = await fetch(address);
    expect(response.headers.get("x-request-id")).toBeTruthy();
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await offerOf(response)).toMatchObject({
      maxAmountRequired: "0.050 HBD",
      payTo: "shop",
      network: "chain:sandbox",
      resource: address,
      description: articles[0]?.title,
    });
  });

  test("delivers each article for one payment, once", async () => {
    const before = await balancesOf(chain);
    for (const article of articles) {
      const address = `${list}/${article.slug}`;
      const requirements = await offerOf(await fetch(address));
      const payment = await signPayment({ ...purse("carol"), requirements });
      const response = await askPaid(address, payment);
      expect(response.status).toBe(200);
      const { txId = "" } = receiptOf(response);
      expect(await readChecked("GET", response)).toEqual({ ...article, payer: "carol", txId });
      expect(response.headers.get("cache-control")).toBe("private, no-store");
      expect((await askPaid(address, payment)).status).toBe(402);
    }
    const after = await balancesOf(chain);
    expect([before.carol - after.carol, after.shop - before.shop]).toEqual([150, 150]);
  });

  test("refuses a payment made for another article", async () => {
    const [one, other] = articles.map(({ slug }) => `${list}/${slug}`) as [string, string];
    const payment = await signPayment({ ...purse(), requirements: await offerOf(await fetch(one)) });
    expect(await (await askPaid(other, payment)).json()).toMatchObject({ code: "nonce_mismatch" });
    expect((await askPaid(one, payment)).status).toBe(200);
  });

  test("delivers to a paying fetch as if the article were free", async () => {
    const pay = createPayingFetch({ ...purse(), maxPayment: "0.050 HBD", allowedPayees: ["shop"] });
    const response = await pay(`${list}/${articles[1]?.slug}`);
    expect(await response.json()).toMatchObject({ title: articles[1]?.title, payer: "alice" });
  });

  test("opens an article that was paid by a sent transfer on another device, by signing in", async () => {
    const address = `${list}/${articles[1]?.slug}`;
    const offer = await transferOfferOf(await fetch(address));
    const seen = await fetch(address, { headers: presentClaim(offer) });
    expect([seen.status, (await seen.json()).code]).toEqual([402, "payment_not_seen"]);
    const txId = await sendTransfer(chain, { from: "bob", memo: offer.extra.memo });
    const head = async () => {
      const status = await chain.call("transaction_status_api.find_transaction", { transaction_id: txId });
      return (status as { status: string }).status;
    };
    await expect.poll(head, { timeout: 60_000 }).toBe("within_irreversible_block");
    const door = createAuthClient(() => gateway.url);
    const login = await door.answer(await door.challenge("bob"), postingKey("bob"), "bob");
    const { cookie } = door.cookieOf(login);
    let found = await fetch(address, { headers: { cookie } });
    while (found.status === 503) found = await fetch(address, { headers: { cookie } });
    expect([found.status, await found.json()]).toEqual([200, { ...articles[1], payer: "bob", txId }]);
  });

  test("opens an account's purchases on its signed-in devices, and not to another account", async () => {
    const address = `${list}/${articles[2]?.slug}`;
    const payment = await signPayment({ ...purse(), requirements: await offerOf(await fetch(address)) });
    const { txId } = receiptOf(await askPaid(address, payment));
    const door = createAuthClient(() => gateway.url);
    const cookieOf = async (name: string) => {
      const login = await door.answer(await door.challenge(name), postingKey(name), name);
      return door.cookieOf(login).cookie;
    };
    const asAlice = { headers: { cookie: await cookieOf("alice") } };
    const again = await fetch(address, asAlice);
    expect([again.status, await again.json()]).toEqual([200, { ...articles[2], payer: "alice", txId }]);
    const { articles: listed } = (await readChecked("GET", await fetch(list, asAlice))) as {
      articles: Array<{ slug: string; receipt?: unknown }>;
    };
    expect(listed.find(({ slug }) => slug === articles[2]?.slug)?.receipt).toEqual({
      payer: "alice",
      txId,
      blockNum: expect.any(Number),
      network: "chain:sandbox",
      amount: "0.050 HBD",
      paidAt: expect.stringMatching(/^\d{4}-/),
    });
    const asBob = { headers: { cookie: await cookieOf("bob") } };
    expect((await fetch(address, asBob)).status).toBe(402);
    expect(JSON.stringify(await (await fetch(list, asBob)).json())).not.toContain("receipt");
  });

  test("opens an account's purchases for that account's signature only", async () => {
    const address = `${list}/${articles[1]?.slug}`;
    const json = { headers: { accept: "application/json" } };
    const paid = await createPayingFetch({ ...purse("erin"), maxPayment: "0.100 HBD" })(address, json);
    const before = await balancesOf(chain);
    const asked = await fetch(address, json);
    expect([asked.status, await readChecked("GET", asked)]).toMatchObject([
      402,
      { extensions: { "sign-in-with-x": { info: { uri: address } } } },
    ]);
    const back = await askSignedIn(address, { account: "erin" });
    expect(await readChecked("GET", back)).toMatchObject({
      payer: "erin",
      txId: receiptOf(paid).txId,
      body: articles[1]?.body,
    });
    const other = await askSignedIn(address, { account: "bob" });
    expect([other.status, await readChecked("GET", other)]).toMatchObject([402, { code: "not_purchased" }]);
    expect(await balancesOf(chain)).toEqual(before);
  });

  test("serves purchases as a page to a signed-in browser, and as JSON to programs", async () => {
    const address = `${list}/${articles[0]?.slug}`;
    const payment = await signPayment({ ...purse(), requirements: await offerOf(await fetch(address)) });
    const { txId } = receiptOf(await askPaid(address, payment));
    const door = createAuthClient(() => gateway.url);
    const login = await door.answer(await door.challenge("alice"), postingKey("alice"), "alice");
    const { cookie } = door.cookieOf(login);
    const read = (accept: string, others: Record<string, string> = {}) =>
      fetch(address, { headers: { accept, cookie, ...others } });
    const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    const page = await read(browser);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(receiptOf(page).txId).toBe(txId);
    const html = await page.text();
    for (const text of ["A card payment of five cents", "Paid content", txId ?? "?", '<html lang="en"'])
      expect(html).toContain(text);

    const spanish = await (await read(browser, { "accept-language": "es" })).text();
    expect(spanish).toContain('<html lang="es"');
    expect(spanish).toContain("Contenido pagado");
    const chosen = { cookie: `${cookie}; hivegate-language=en`, "accept-language": "es" };
    expect(await (await read(browser, chosen)).text()).toContain('<html lang="en"');

    for (const accept of ["*/*", "application/json", "application/json, text/html;q=0.9"])
      expect(await (await read(accept)).json()).toEqual({ ...articles[0], payer: "alice", txId });
  });

  test("serves the payment page in the reader's chosen language, or the browser's", async () => {
    const address = `${list}/${articles[0]?.slug}`;
    const languageFor = async (headers: Record<string, string>) =>
      (await fetch(address, { headers: { accept: "text/html", ...headers } })).headers.get(
        "content-language",
      );
    expect(await languageFor({ "accept-language": "es-MX" })).toBe("es");
    expect(await languageFor({ "accept-language": "es-MX", cookie: "hivegate-language=en" })).toBe("en");
    expect(await languageFor({ cookie: "hivegate-language=es" })).toBe("es");
  });

  test("returns 404 for an unknown article before asking for payment", async () => {
    for (const slug of ["nothing", "constructor", "__proto__"]) {
      const response = await fetch(`${list}/${slug}`);
      expect([response.status, response.headers.has("x-payment")]).toEqual([404, false]);
    }
  });

  test("serves browsers a payment page whose policy allows calls to the chain node", async () => {
    const response = await fetch(`${list}/${articles[0]?.slug}`, {
      headers: { accept: "text/html,*/*;q=0.8" },
    });
    expect(response.status).toBe(402);
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    expect(response.headers.get("content-security-policy")).toContain(`connect-src 'self' ${chain.url}`);
  });

  test("allows x-payment in preflights", async () => {
    const response = await fetch(`${list}/${articles[0]?.slug}`, { method: "OPTIONS" });
    expect([response.status, response.headers.get("access-control-allow-headers")]).toEqual([
      204,
      expect.stringContaining("x-payment"),
    ]);
  });
});

describe("npm run demo:pay", () => {
  test("prints each step of a payment by alice, and whether money was taken", async () => {
    const lines: string[] = [];
    const balance = async () => (await balancesOf(chain)).alice;
    const before = await balance();
    await payForArticle(gateway.url, (line) => lines.push(line));
    const text = lines.join("\n");
    const outcome = (await balance()) < before ? "settled" : "alice bought it before, nothing is taken";
    for (const step of [
      /402: 0\.050 HBD to shop on chain:sandbox/,
      /alice signs/,
      /verify: valid, payer alice/,
      new RegExp(`${outcome}: transaction [0-9a-f]{40} in block \\d+`),
      /5\. 200: "/,
      /Receipt \(x-payment-response\): .*"success":true/,
    ])
      expect(text).toMatch(step);
    expect(text).not.toContain(wifOf("alice"));
  });

  test("explains the failure when there is no sandbox", async () => {
    await expect(payForArticle("http://127.0.0.1:9", () => {})).rejects.toThrow(
      /can't be reached.*quickstart/,
    );
  });
});
