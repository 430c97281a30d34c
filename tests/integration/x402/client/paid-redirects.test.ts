import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type MadePayment, PaymentError } from "#lib/x402/client/index.ts";
import { withPaywall } from "#lib/x402/next.ts";
import { serveWeb, type WebServer } from "../../../harness/serve-web.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
const servers: WebServer[] = [];
beforeEach(async () => {
  shop = await startShop();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await shop.close();
});

/** The ways in which a paid page redirects. */
const ways = [
  ["by an answer", (to: string) => new Response(null, { status: 307, headers: { location: to } })],
  [
    "by Next's redirect()",
    (to: string) => {
      throw Object.assign(new Error("NEXT_REDIRECT"), { digest: `NEXT_REDIRECT;replace;${to};307;` });
    },
  ],
] as const;

/** Serves paid pages by path, and records which payments each path receives. */
async function serve(pages: Record<string, { amount: string; answer: () => Response }>) {
  const asked: Array<{ path: string; payment: string | null }> = [];
  const handlers = Object.entries(pages).map(
    ([path, { amount, answer }]) => [path, withPaywall({ ...shop.price, amount }, answer)] as const,
  );
  const server = await serveWeb(async (request) => {
    const { pathname: path } = new URL(request.url);
    asked.push({ path, payment: request.headers.get("x-payment") });
    const [, page] = handlers.find(([of]) => of === path) ?? [];
    return page?.(request) ?? new Response("free");
  });
  servers.push(server);
  const paymentsAt = (path: string) => asked.flatMap((one) => (one.path === path && one.payment) || []);
  return { url: server.url, paymentsAt };
}

describe.each(ways)("a paid page that redirects %s", (_, redirectTo) => {
  test("to another paid page buys both, each by a payment of its own", async () => {
    const { url, paymentsAt } = await serve({
      "/first": { amount: "0.050 HBD", answer: () => redirectTo("/second") },
      "/second": { amount: "0.030 HBD", answer: () => new Response("second") },
    });
    const before = await shop.balances();
    const made: MadePayment[] = [];
    const approved: string[] = [];
    const pay = shop.payer({
      onPayment: (one) => made.push(one),
      approve: ({ url: address, amount }) => approved.push(`${address} ${amount}`) > 0,
    });
    const response = await pay(`${url}/first`);
    expect([response.status, await response.text()]).toEqual([200, "second"]);
    expect((await shop.balances()).alice).toBe(before.alice - 80);
    expect(approved).toEqual([`${url}/first 0.050 HBD`, `${url}/second 0.030 HBD`]);
    expect(made.map(({ url: address, amount, status }) => [address, amount, status])).toEqual([
      [`${url}/first`, "0.050 HBD", 307],
      [`${url}/second`, "0.030 HBD", 200],
    ]);
    expect(paymentsAt("/second")).toHaveLength(1);
    expect(paymentsAt("/first")).not.toContain(paymentsAt("/second")[0]);
    expect(await pay.spent()).toMatchObject({ lastDay: "0.080 HBD" });
  });

  test("to a free page brings that page, without the payment", async () => {
    const { url, paymentsAt } = await serve({
      "/first": { amount: "0.050 HBD", answer: () => redirectTo("/free") },
    });
    expect(await (await shop.payer()(`${url}/first`)).text()).toBe("free");
    expect(paymentsAt("/free")).toEqual([]);
  });

  test("is one request, whose payments together stay within maxPayment", async () => {
    const { url, paymentsAt } = await serve({
      "/first": { amount: "0.050 HBD", answer: () => redirectTo("/second") },
      "/second": { amount: "0.030 HBD", answer: () => new Response("second") },
    });
    const before = await shop.balances();
    const pay = shop.payer({ maxPayment: "0.079 HBD" });
    const error = await pay(`${url}/first`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PaymentError);
    expect(error).toMatchObject({
      code: "redirected_after_payment",
      cause: { code: "over_limit", limit: "0.029 HBD", offer: { amount: "0.030 HBD" } },
    });
    expect(paymentsAt("/second")).toEqual([]);
    const repeat = await pay(`${url}/first`);
    expect([repeat.status, await repeat.json()]).toMatchObject([402, { code: "payment_replayed" }]);
    expect(await (await pay(`${url}/second`)).text()).toBe("second");
    expect((await shop.balances()).alice).toBe(before.alice - 80);
  });

  test("to itself is paid once", async () => {
    const { url } = await serve({
      "/first": { amount: "0.050 HBD", answer: () => redirectTo("/second") },
      "/second": { amount: "0.030 HBD", answer: () => redirectTo("/first") },
    });
    const before = await shop.balances();
    await expect(shop.payer()(`${url}/first`)).rejects.toMatchObject({ code: "redirected_after_payment" });
    expect((await shop.balances()).alice).toBe(before.alice - 80);
  });
});

test("a page that redirects to a part of itself is paid once, even by a fetch that hides addresses", async () => {
  const { url } = await serve({
    "/first": {
      amount: "0.050 HBD",
      answer: () => new Response(null, { status: 307, headers: { location: "#part" } }),
    },
  });
  const hiding: typeof fetch = async (input, init) => {
    const { body, status, headers } = await fetch(input, init);
    return new Response(body, { status, headers });
  };
  const before = await shop.balances();
  await expect(shop.payer({ fetch: hiding })(`${url}/first`)).rejects.toMatchObject({
    code: "redirected_after_payment",
  });
  expect((await shop.balances()).alice).toBe(before.alice - 50);
});

test("a page that failed behind a paid redirect is opened later by the payment that it got", async () => {
  let isBroken = true;
  const { url, paymentsAt } = await serve({
    "/first": { amount: "0.050 HBD", answer: () => Response.redirect(`${url}/second`, 307) },
    "/second": {
      amount: "0.030 HBD",
      answer: () => new Response("second", { status: isBroken ? 500 : 200 }),
    },
  });
  const pay = shop.payer();
  expect((await pay(`${url}/first`)).status).toBe(500);
  isBroken = false;
  expect(await (await pay(`${url}/second`)).text()).toBe("second");
  expect(new Set(paymentsAt("/second")).size).toBe(1);
});

test("a paid redirect takes no secret to another origin, and no headers of content without content", async () => {
  const reached: Headers[] = [];
  const other = await serveWeb(({ headers }) => {
    reached.push(new Headers(headers));
    return new Response("reached");
  });
  servers.push(other);
  const { url } = await serve({
    "/first": { amount: "0.050 HBD", answer: () => Response.redirect(other.url, 303) },
  });
  const secrets = { authorization: "a", cookie: "b=c", "sign-in-with-x": "d" };
  const content = { "content-type": "text/plain" };
  const init = { method: "POST", body: "order", headers: { ...secrets, ...content, "x-other": "kept" } };
  expect(await (await shop.payer()(`${url}/first`, init)).text()).toBe("reached");
  const [headers] = reached;
  expect(headers?.get("x-other")).toBe("kept");
  expect([...Object.keys(secrets), ...Object.keys(content)].filter((name) => headers?.has(name))).toEqual([]);
});

test.each(["x-payment", "payment-signature"])(
  "the caller's own %s header follows no redirect, to this origin or another",
  async (name) => {
    const reached: Array<string | null> = [];
    const note = (request: Request) => {
      reached.push(request.headers.get(name));
      return new Response("reached");
    };
    const other = await serveWeb(note);
    const server = await serveWeb((request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/reached") return note(request);
      return Response.redirect(pathname === "/here" ? new URL("/reached", request.url) : other.url, 307);
    });
    servers.push(other, server);
    for (const path of ["/here", "/there"])
      expect(await (await shop.payer()(server.url + path, { headers: { [name]: "own" } })).text()).toBe(
        "reached",
      );
    expect(reached).toEqual([null, null]);
  },
);
