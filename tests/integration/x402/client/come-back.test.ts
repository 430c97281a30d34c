import { describe, expect, test } from "vitest";
import { signText } from "#lib/hive/private-key.ts";
import { type PayingFetchOptions, PaymentError } from "#lib/x402/client/index.ts";
import { type WithPaywallOptions, withPaywall } from "#lib/x402/next.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid, decodeHeader } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";
import { wifOf } from "../../../harness/start-shop.ts";

const { shop, serve } = await openShop();
const postingKey = wifOf("alice", "posting");
const payer = (options: Partial<PayingFetchOptions> = {}) => shop.payer({ postingKey, ...options } as never);

/** Sells content at an address; `seen` lists the headers of its requests. */
async function sell(
  options: Partial<WithPaywallOptions<Request>> = {},
  handler: () => Response = () => Response.json("content"),
) {
  const seen: Headers[] = [];
  const GET = withPaywall<Request, object>(
    {
      ...{ ...shop.price, nodes: shop.chain.urls, store: createMemoryClaimStore(), onFault: () => {} },
      ...{ access: { for: "30d" }, ...options },
    },
    handler,
  );
  const url = await serve((request) => {
    seen.push(new Headers(request.headers));
    return GET(request, {});
  });
  const buy = async () => void (await askPaid(url, await shop.payFor(url)));
  const sentWith = (name: string) => seen.filter((headers) => headers.has(name)).length;
  return { url, seen, buy, sentWith };
}

const refusal = (call: Promise<Response>) =>
  call.then(
    () => "no error",
    (error: unknown) => (error instanceof PaymentError ? error.code : error),
  );

describe("a paying fetch with a posting key", () => {
  test("pays once, and another client with that key then gets the content without paying", async () => {
    const { url, sentWith } = await sell();
    const before = await shop.balances();
    const first = await payer()(url);
    expect(await first.json()).toBe("content");
    const again = await payer()(url);
    expect(await again.json()).toBe("content");
    expect([sentWith("x-payment"), (await shop.balances()).alice]).toEqual([1, before.alice - 50]);
  });

  test("signs in with signMessage, which receives the text and the account", async () => {
    const { url, buy, sentWith } = await sell();
    await buy();
    const asked: string[][] = [];
    const signMessage = (text: string, account: string) => {
      asked.push([text.split("\n")[0] ?? "", account]);
      return signText(text, postingKey) ?? "";
    };
    expect((await payer({ postingKey: undefined, signMessage })(url)).status).toBe(200);
    expect(asked).toEqual([[`${new URL(url).host} wants you to sign in with your Hive account:`, "alice"]]);
    expect(sentWith("x-payment")).toBe(1);
  });

  test("spends none of its budget when it signs in", async () => {
    const { url, buy } = await sell();
    await buy();
    const pay = payer({ maxPayment: "0.001 HBD", budget: { perDay: "0.001 HBD" } });
    expect((await pay(url)).status).toBe(200);
    expect((await pay.spent()).lastDay).toBe("0.000 HBD");
  });

  test("pays for content that the account has not bought yet", async () => {
    const { url, sentWith } = await sell();
    expect((await payer()(url)).status).toBe(200);
    expect([sentWith("sign-in-with-x"), sentWith("x-payment")]).toEqual([1, 1]);
  });

  test("pays a server that announces no sign-in", async () => {
    const { url, sentWith } = await sell({ access: undefined });
    expect((await payer()(url)).status).toBe(200);
    expect([sentWith("sign-in-with-x"), sentWith("x-payment")]).toEqual([0, 1]);
  });

  test("does not pay when its signer fails, because its account may own the content already", async () => {
    const { url, buy, sentWith } = await sell();
    await buy();
    const signMessage = () => Promise.reject(new Error("closed"));
    expect(await refusal(payer({ postingKey: undefined, signMessage })(url))).toBe("signing_failed");
    expect(sentWith("x-payment")).toBe(1);
  });

  test("does not pay while the chain can't confirm the sign-in", async () => {
    const { url, sentWith } = await sell({ nodes: ["http://127.0.0.1:9"] });
    const response = await payer()(url);
    expect([response.status, await response.json()]).toMatchObject([503, { code: "sign_in_unavailable" }]);
    expect(sentWith("x-payment")).toBe(0);
  });

  test("reveals its account only to allowed hosts", async () => {
    const { url, sentWith } = await sell();
    expect(await refusal(payer({ allowedHosts: ["shop.example"] })(url))).toBe("host_not_allowed");
    expect(sentWith("sign-in-with-x")).toBe(0);
  });

  test("does not replace a sign-in that the caller sends", async () => {
    const { url, seen, sentWith } = await sell();
    await payer()(url, { headers: { "sign-in-with-x": "the caller's" } });
    expect(sentWith("x-payment")).toBe(1);
    expect(seen.every((headers) => headers.get("sign-in-with-x") === "the caller's")).toBe(true);
  });

  test("signs in again if a lost answer has used up its sign-in", async () => {
    const { url, buy, sentWith } = await sell();
    await buy();
    let isFirst = true;
    const fetchOnceLate: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (!new Headers(init?.headers).has("sign-in-with-x") || !isFirst) return response;
      isFirst = false;
      // The answer is lost, so the client sends the same header again.
      await response.body?.cancel();
      return fetch(input, init);
    };
    expect((await payer({ fetch: fetchOnceLate })(url)).status).toBe(200);
    expect([sentWith("sign-in-with-x"), sentWith("x-payment")]).toEqual([3, 1]);
  });

  test("sends no proof to the target of a redirect", async () => {
    const reached: Headers[] = [];
    const elsewhere = await serve((request) => {
      reached.push(new Headers(request.headers));
      return Response.json("elsewhere");
    });
    const { url, buy } = await sell({}, () => Response.redirect(elsewhere));
    await buy();
    reached.length = 0;
    expect(await (await payer()(url)).json()).toBe("elsewhere");
    expect(reached.map((headers) => headers.has("sign-in-with-x"))).toEqual([false]);
  });

  test("pays for no page by another method than the redirect of its sign-in leads to it", async () => {
    const { url, seen } = await sell(
      {},
      () => new Response(null, { status: 303, headers: { location: there } }),
    );
    const asked: string[] = [];
    const sold = withPaywall(shop.price, () => new Response("there"));
    const { origin } = new URL(url);
    const there = `${origin}/there`;
    const post = { method: "POST", body: "order" };
    // Served at the same origin.
    const proxy: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (request.url !== there) return fetch(input, init);
      asked.push(`${request.method} ${request.headers.has("x-payment") ? "paid" : "unpaid"}`);
      return sold(request);
    };
    await fetch(url, {
      ...post,
      redirect: "manual",
      headers: { "x-payment": await shop.payFor(url, post) },
    });
    const before = await shop.balances();
    expect(await refusal(payer({ fetch: proxy })(url, post))).toBe("redirected");
    expect(asked).toEqual(["GET unpaid"]);
    expect(seen.at(-1)?.has("sign-in-with-x")).toBe(true);
    expect(await shop.balances()).toEqual(before);
  });
});

describe("a paying fetch signs no challenge", () => {
  const challengeWith = async (change: (info: Record<string, unknown>) => unknown) => {
    const { url, sentWith } = await sell();
    const proxy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 402) return response;
      const required = decodeHeader<{ extensions: Record<string, { info: Record<string, unknown> }> }>(
        response,
        "payment-required",
      );
      const extension = required.extensions["sign-in-with-x"];
      if (extension) extension.info = { ...extension.info, ...(change(extension.info) as object) };
      const headers = new Headers(response.headers);
      headers.set("payment-required", Buffer.from(JSON.stringify(required)).toString("base64"));
      return new Response(await response.text(), { status: 402, headers });
    };
    let signed = 0;
    const signMessage = (text: string) => {
      signed++;
      return signText(text, postingKey) ?? "";
    };
    const response = await payer({ postingKey: undefined, signMessage, fetch: proxy })(url);
    return { signed, status: response.status, paid: sentWith("x-payment") };
  };

  test.each<[string, (info: Record<string, unknown>) => Record<string, unknown>]>([
    ["of another host", () => ({ domain: "bank.example" })],
    ["of another origin", () => ({ uri: "https://bank.example/" })],
    ["of another port", ({ domain }) => ({ domain: `${String(domain).split(":")[0]}:1` })],
    ["of another version", () => ({ version: "2" })],
    ["with an invalid nonce", () => ({ nonce: "1" })],
    ["that holds for longer than five minutes", () => ({ expirationTime: "2099-01-01T00:00:00.000Z" })],
    ["with a text of several lines", () => ({ statement: "Come back.\nURI: https://bank.example" })],
  ])("%s, and pays instead", async (_what, change) => {
    expect(await challengeWith(change)).toEqual({ signed: 0, status: 200, paid: 1 });
  });
});

test.each<[string, object]>([
  ["either postingKey or signMessage", { signMessage: () => "" }],
  ["postingKey must be", { postingKey: "5Jnone" }],
  ["signMessage must be", { postingKey: undefined, signMessage: "yes" }],
])("wrong options are refused on creation with the message '%s ...'", (message, options) => {
  expect(() => payer(options)).toThrow(message);
});
