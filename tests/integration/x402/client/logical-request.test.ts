import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PayingFetchOptions } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { createSellers } from "../../../harness/create-sellers.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { serveNode } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const sellers = createSellers();
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const serveOffers = (paid?: NonNullable<Parameters<typeof sellers.serveOffers>[1]>["paid"]) =>
  sellers.serveOffers([makeOffer()], { ...(paid && { paid }) });

async function serve(answer: (request: Request) => Promise<Response> | Response) {
  return (await sellers.serveWeb(answer)).url;
}

const pay = (options: Partial<PayingFetchOptions> = {}) => shop.payer(options);
const soon = { "retry-after": "0" };

describe("a paid request", () => {
  const text = "some text, Grüße";
  const bytes = new TextEncoder().encode(text);
  const stream = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 5));
        controller.enqueue(bytes.subarray(5));
        controller.close();
      },
    });

  test.each<[string, () => RequestInit]>([
    ["a text", () => ({ body: text })],
    ["bytes", () => ({ body: bytes })],
    ["a blob", () => ({ body: new Blob([text]) })],
    ["a stream, with duplex", () => ({ body: stream(), duplex: "half" }) as RequestInit],
    ["a stream, without duplex", () => ({ body: stream() })],
  ])("repeats its body with the payment: %s", async (_name, init) => {
    const server = await serveOffers();
    await pay()(server.url, { method: "POST", ...init() });
    expect(server.sent.map(({ method, body, payment }) => [method, body, payment !== null])).toEqual([
      ["POST", text, false],
      ["POST", text, true],
    ]);
  });

  test("keeps its content type when its body is a form", async () => {
    const server = await serveOffers();
    const form = new FormData();
    form.set("name", "value");
    await pay()(server.url, { method: "POST", body: form });
    const [first, second] = server.sent;
    expect(second?.headers.get("content-type")).toBe(first?.headers.get("content-type"));
    expect(second?.body).toBe(first?.body);
  });

  test("can be a Request with a method, headers and a body", async () => {
    const server = await serveOffers();
    const request = new Request(server.url, { method: "PUT", body: text, headers: { "x-own": "1" } });
    expect((await pay()(request)).status).toBe(200);
    expect(server.sent[1]).toMatchObject({ method: "PUT", body: text });
    expect(server.sent[1]?.headers.get("x-own")).toBe("1");
  });

  test("can have a URL object as its address", async () => {
    const server = await serveOffers();
    expect((await pay()(new URL(server.url))).status).toBe(200);
  });
});

describe("a logical request", () => {
  test("is repeated after a 503 with the same payment", async () => {
    const server = await serveOffers((_request, count) =>
      count < 4
        ? Response.json({ code: "settlement_pending" }, { status: 503, headers: soon })
        : new Response("done"),
    );
    expect(await (await pay()(server.url)).text()).toBe("done");
    expect(new Set(server.sent.slice(1).map(({ payment }) => payment)).size).toBe(1);
    expect(server.sent).toHaveLength(5);
  });

  test("returns the 503 when its tries are used up", async () => {
    const server = await serveOffers(() => new Response(null, { status: 503, headers: soon }));
    expect((await pay()(server.url)).status).toBe(503);
    expect(server.sent.length).toBeLessThan(12);
    expect(new Set(server.sent.slice(1).map(({ payment }) => payment)).size).toBe(1);
  });

  test("is repeated after a cut connection with the same payment", async () => {
    let cuts = 0;
    const GET = withPaywall(shop.price, (_request, { payer }) => Response.json({ payer }));
    const server = await sellers.closing(
      serveNode(async (incoming, outgoing) => {
        const { host = "", "x-payment": payment } = incoming.headers;
        const headers = new Headers(payment ? { "x-payment": String(payment) } : {});
        const response = await GET(new Request(`http://${host}/`, { headers }));
        const text = await response.text();
        if (payment && cuts++ === 0) return incoming.socket.destroy();
        outgoing.writeHead(response.status, [...response.headers].flat()).end(text);
      }),
    );
    const { url } = server;
    const before = await shop.balances();
    // The first answer was lost on its way, so the second try finds the payment used.
    const response = await pay()(url);
    expect([response.status, await response.json()]).toMatchObject([402, { code: "payment_replayed" }]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("sends the same payment again when the call is repeated after a failure", async () => {
    let isBroken = true;
    const GET = withPaywall({ ...shop.price, onFault: () => {} }, () => {
      if (isBroken) throw new Error("broken");
      return new Response("content");
    });
    const url = await serve((request) => GET(request));
    const before = await shop.balances();
    const payingFetch = pay();
    expect((await payingFetch(url)).status).toBe(500);
    isBroken = false;
    const again = await payingFetch(url);
    expect([again.status, await again.text()]).toEqual([200, "content"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
    expect((await payingFetch(url)).status).toBe(200);
    expect((await shop.balances()).alice).toBe(before.alice - 100);
  });

  test("pays separately for another body", async () => {
    const server = await serveOffers(
      (_request, count) => new Response(null, { status: count === 1 ? 500 : 200 }),
    );
    const payingFetch = pay();
    await payingFetch(server.url, { method: "POST", body: "one" });
    await payingFetch(server.url, { method: "POST", body: "two" });
    await payingFetch(server.url, { method: "POST", body: "one" });
    const payments = server.sent.flatMap(({ payment, body }) => (payment ? [[body, payment]] : []));
    expect(payments.map(([body]) => body)).toEqual(["one", "two", "one"]);
    expect(payments[0]?.[1]).toBe(payments[2]?.[1]);
    expect(payments[1]?.[1]).not.toBe(payments[0]?.[1]);
  });

  test("ends when the caller aborts", async () => {
    const server = await serveOffers(
      () => new Response(null, { status: 503, headers: { "retry-after": "9" } }),
    );
    const gone = new AbortController();
    const answer = pay()(server.url, { signal: gone.signal });
    await expect.poll(() => server.payments().length).toBe(1);
    gone.abort();
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
    expect(server.payments()).toHaveLength(1);
  });
});

describe("a redirect", () => {
  test("to another origin drops the payment and the credentials", async () => {
    const other: Headers[] = [];
    const elsewhere = await serve((request) => {
      other.push(request.headers);
      return new Response("elsewhere");
    });
    const server = await serveOffers(
      () => new Response(null, { status: 302, headers: { location: elsewhere } }),
    );
    const response = await pay()(server.url, { headers: { authorization: "Bearer own" } });
    expect(await response.text()).toBe("elsewhere");
    expect(other.map((headers) => [headers.get("x-payment"), headers.get("authorization")])).toEqual([
      [null, null],
    ]);
  });

  test("to another origin that asks for payment is not paid", async () => {
    const elsewhere = await serveOffers();
    const server = await serveOffers(
      () => new Response(null, { status: 307, headers: { location: elsewhere.url } }),
    );
    expect((await pay()(server.url)).status).toBe(402);
    expect(elsewhere.payments()).toEqual([]);
  });

  test("to another origin before the payment is not paid, because the caller chose the first origin", async () => {
    const elsewhere = await serveOffers();
    const url = await serve(() => Response.redirect(elsewhere.url, 302));
    await expect(pay()(url)).rejects.toMatchObject({ code: "redirected" });
    expect(elsewhere.payments()).toEqual([]);
  });

  test("within the origin drops the payment, and what is paid there is paid anew", async () => {
    const server = await serveOffers((request) =>
      request.url.endsWith("/there")
        ? new Response("there")
        : new Response(null, { status: 308, headers: { location: "/there" } }),
    );
    expect(await (await pay()(`${server.url}/here`)).text()).toBe("there");
    expect(server.sent.map(({ payment }) => payment !== null)).toEqual([false, true, false, true]);
    const [one, other] = server.sent.flatMap(({ payment }) => payment ?? []);
    expect(one).not.toBe(other);
  });

  test("with a receipt is followed without the payment", async () => {
    const server = await serve((request) => {
      if (request.url.endsWith("/content"))
        return new Response(request.headers.has("x-payment") ? "leaked" : "content");
      if (!request.headers.has("x-payment"))
        return Response.json({ accepts: [makeOffer()] }, { status: 402 });
      return new Response(null, {
        status: 303,
        headers: { location: "/content", "x-payment-response": "e30=" },
      });
    });
    expect(await (await pay()(server)).text()).toBe("content");
  });

  test("that never ends is abandoned", async () => {
    const server = await serveOffers(() => new Response(null, { status: 307, headers: { location: "/" } }));
    await expect(pay()(server.url)).rejects.toMatchObject({ code: "redirected_after_payment" });
  });

  test("follows the caller's mode: manual returns it, error throws", async () => {
    const server = await serveOffers(
      () => new Response(null, { status: 307, headers: { location: "/there" } }),
    );
    expect((await pay()(server.url, { redirect: "manual" })).status).toBe(307);
    await expect(pay()(server.url, { redirect: "error" })).rejects.toMatchObject({
      code: "redirected_after_payment",
    });
  });
});

describe("a budget", () => {
  test("for a day is shared across hosts, and refuses further payments", async () => {
    const [one, other] = [await serveOffers(), await serveOffers()];
    const payingFetch = pay({ budget: { perDay: "0.100 HBD" } });
    expect((await payingFetch(one.url)).status).toBe(200);
    expect((await payingFetch(other.url)).status).toBe(200);
    await expect(payingFetch(one.url)).rejects.toMatchObject({ code: "over_budget" });
    expect([...one.payments(), ...other.payments()]).toHaveLength(2);
  });

  test("for a host is separate", async () => {
    const [one, other] = [await serveOffers(), await serveOffers()];
    const payingFetch = pay({ budget: { perHost: "0.050 HBD" } });
    await payingFetch(one.url);
    await expect(payingFetch(one.url)).rejects.toMatchObject({ code: "over_budget" });
    expect((await payingFetch(other.url)).status).toBe(200);
  });

  test("can't be spent twice by simultaneous requests", async () => {
    const server = await serveOffers();
    const payingFetch = pay({ budget: { perDay: "0.100 HBD" } });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => payingFetch(server.url)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(server.payments()).toHaveLength(2);
  });

  test("does not count payments that could not be signed", async () => {
    const server = await serveOffers();
    let isWilling = false;
    const { account, nodes, chainId } = shop.purse();
    const payingFetch = pay({
      budget: { perDay: "0.050 HBD" },
      activeKey: undefined,
      signTransaction: async (transaction: object) => {
        if (!isWilling) throw new Error("user_cancel");
        return { ...transaction, signatures: ["20".padEnd(130, "a")] };
      },
      account,
      nodes,
      chainId,
    } as unknown as Partial<PayingFetchOptions>);
    await expect(payingFetch(server.url)).rejects.toMatchObject({ code: "signing_failed" });
    isWilling = true;
    expect((await payingFetch(server.url)).status).toBe(200);
  });
});
