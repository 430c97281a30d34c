import type { McpServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ClaimStore } from "#lib/x402/express.ts";
import { type PaidToolOptions, paidTool } from "#lib/x402/mcp/index.ts";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { offerIn, openToolShop, textOf } from "../../../harness/open-tool-shop.ts";

const { shop, serveTools, connect, sign } = await openToolShop();

let runs = 0;
type Given = { city: string; days?: number | undefined; limits?: Record<string, number> | undefined };

/** Registers the paid tool `forecast`. */
const forecast =
  (options: Partial<PaidToolOptions> = {}, work: (given: Given) => object | Promise<object> = () => ({})) =>
  (server: McpServer) =>
    server.registerTool(
      "forecast",
      {
        inputSchema: z.object({
          city: z.string(),
          days: z.number().optional(),
          limits: z.record(z.string(), z.number()).optional(),
        }),
      },
      paidTool({ ...shop.price, tool: "forecast", ...options }, async (given, _context, { payer }) => {
        runs++;
        const text = `Sun in ${given.city} for ${payer}`;
        return { content: [{ type: "text" as const, text }], ...(await work(given)) };
      }),
    );

const inRome = { name: "forecast", arguments: { city: "Rome" } };
const paying = (payment: unknown, call: { name: string; arguments: object } = inRome) => ({
  ...call,
  arguments: { ...call.arguments },
  _meta: { "x402/payment": payment },
});

describe("a paid tool", () => {
  test("returns its price as an error that carries the offer as structured content and as text", async () => {
    runs = 0;
    const client = await connect(await serveTools(forecast()));
    const result = await client.callTool(inRome);
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result) ?? "")).toEqual(result.structuredContent);
    expect(offerIn(result)).toMatchObject({
      x402Version: 2,
      code: "payment_required",
      error:
        'This tool costs 0.050 HBD: sign a transfer and send it in _meta["x402/payment"] of the same call.',
      resource: { url: "mcp://tool/forecast" },
      accepts: [{ scheme: "exact", amount: "50", asset: "HBD", payTo: "shop", maxTimeoutSeconds: 300 }],
    });
    expect(runs).toBe(0);
  });

  test("settles after the tool in the authorization flow, and not at all if the tool fails", async () => {
    let isBroken = true;
    const tool = forecast({ paymentFlow: "authorization" }, () => (isBroken ? { isError: true } : {}));
    const client = await connect(await serveTools(tool));
    const offer = offerIn(await client.callTool(inRome));
    expect(offer.accepts[0]?.extra).toEqual({ nonce: expect.any(String) });
    const payment = await sign(offer);
    const before = await shop.balances();
    const failed = await client.callTool(paying(payment));
    expect([failed.isError, failed._meta?.["x402/payment-response"]]).toEqual([true, undefined]);
    expect(await shop.balances()).toEqual(before);
    isBroken = false;
    const served = await client.callTool(paying(payment));
    expect(textOf(served)).toBe("Sun in Rome for alice");
    expect(served._meta?.["x402/payment-response"]).toMatchObject({ success: true, payer: "alice" });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("withholds the result in the authorization flow if settlement is refused", async () => {
    const client = await connect(await serveTools(forecast({ paymentFlow: "authorization" })));
    const payment = await sign(offerIn(await client.callTool(inRome)));
    shop.door.treat((path) =>
      path === "/settle"
        ? { change: () => ({ success: false, errorReason: "insufficient_funds", payer: "alice" }) }
        : "pass",
    );
    const refused = await client.callTool(paying(payment));
    expect([refused.isError, offerIn(refused).code]).toEqual([true, "insufficient_funds"]);
  });

  test("runs for a payment, and returns the receipt in the result's _meta", async () => {
    const client = await connect(await serveTools(forecast()));
    const before = await shop.balances();
    const payment = await sign(offerIn(await client.callTool(inRome)));
    const result = await client.callTool(paying(payment));
    expect([result.isError, textOf(result)]).toEqual([undefined, "Sun in Rome for alice"]);
    expect(result._meta?.["x402/payment-response"]).toEqual({
      ...{ success: true, payer: "alice", network: shop.price.network, blockNum: expect.any(Number) },
      ...{ txId: expect.stringMatching(/^[0-9a-f]{40}$/), transaction: expect.any(String) },
    });
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test.each(["an object of version 1", "base64 of version 2", "base64 of version 1"])(
    "accepts a payment as %s",
    async (form) => {
      const client = await connect(await serveTools(forecast()));
      const second = await sign(offerIn(await client.callTool(inRome)));
      const { scheme, network } = second.accepted;
      const first = { x402Version: 1, scheme, network, payload: second.payload };
      const payment = form.endsWith("1") ? first : second;
      const sent = form.startsWith("base64")
        ? Buffer.from(JSON.stringify(payment)).toString("base64")
        : payment;
      expect(textOf(await client.callTool(paying(sent)))).toBe("Sun in Rome for alice");
    },
  );

  test("requires another payment for other arguments, but not for reordered ones", async () => {
    const client = await connect(await serveTools(forecast()));
    const call = { name: "forecast", arguments: { city: "Rome", limits: { rain: 1, wind: 2 } } };
    const payment = await sign(offerIn(await client.callTool(call)));
    const elsewhere = await client.callTool(
      paying(payment, { name: "forecast", arguments: { ...call.arguments, city: "Oslo" } }),
    );
    expect(offerIn(elsewhere).code).toBe("nonce_mismatch");
    const turned = paying(payment, {
      name: "forecast",
      arguments: { limits: { wind: 2, rain: 1 }, city: "Rome" },
    });
    expect(textOf(await client.callTool(turned))).toBe("Sun in Rome for alice");
  });

  test("refuses a payment for another tool", async () => {
    const url = await serveTools((server) => {
      forecast()(server);
      const given = { inputSchema: z.object({ city: z.string() }) };
      const sold = paidTool({ ...shop.price, tool: "warning" }, async () => ({
        content: [{ type: "text" as const, text: "Storm" }],
      }));
      server.registerTool("warning", given, sold);
    });
    const client = await connect(url);
    const payment = await sign(offerIn(await client.callTool(inRome)));
    const other = await client.callTool(paying(payment, { ...inRome, name: "warning" }));
    expect(offerIn(other).code).toBe("nonce_mismatch");
  });

  test("runs once for simultaneous calls with one payment", async () => {
    runs = 0;
    const client = await connect(await serveTools(forecast()));
    const payment = await sign(offerIn(await client.callTool(inRome)));
    const results = await Promise.all(Array.from({ length: 8 }, () => client.callTool(paying(payment))));
    expect(runs).toBe(1);
    const codes = results.map((result) => (result.isError ? offerIn(result).code : "paid"));
    expect(codes).toContain("paid");
    expect(codes.filter((code) => code !== "paid" && code !== "settlement_pending")).toEqual([]);
    const pending = results.find((result) => result.isError);
    // The answer must not look like an offer, which would be paid again.
    expect(pending?.structuredContent ?? {}).not.toHaveProperty("accepts");
  });

  test("returns the same result again to the payment's holder only, without another run or charge", async () => {
    const client = await connect(await serveTools(forecast()));
    const unpaid = await sign(offerIn(await client.callTool(inRome)));
    const payment = { ...unpaid, payload: { ...unpaid.payload, holder: "h".repeat(22) } };
    const first = await client.callTool(paying(payment));
    runs = 0;
    const before = await shop.balances();
    expect(await client.callTool(paying(payment))).toEqual(first);
    expect([runs, await shop.balances()]).toEqual([0, before]);
    const stranger = { ...unpaid, payload: { ...unpaid.payload, holder: "s".repeat(22) } };
    expect(offerIn(await client.callTool(paying(stranger))).code).toBe("payment_replayed");
  });

  test("does not repeat the result for a payment without a holder, since anyone can copy it from its block", async () => {
    const client = await connect(await serveTools(forecast()));
    const { payload, ...rest } = await sign(offerIn(await client.callTool(inRome)));
    const { holder: _secret, ...open } = payload;
    const payment = { ...rest, payload: open };
    expect(textOf(await client.callTool(paying(payment)))).toBe("Sun in Rome for alice");
    expect(offerIn(await client.callTool(paying(payment))).code).toBe("payment_replayed");
  });

  test.each(["returns isError", "throws"])("charges once for a tool that first %s", async (how) => {
    let isBroken = true;
    const work = () => {
      if (!isBroken) return {};
      if (how === "throws") throw new Error("no satellite");
      return { isError: true };
    };
    const client = await connect(await serveTools(forecast({}, work)));
    const before = await shop.balances();
    const payment = await sign(offerIn(await client.callTool(inRome)));
    expect((await client.callTool(paying(payment))).isError).toBe(true);
    isBroken = false;
    const second = await client.callTool(paying(payment));
    expect([second.isError, textOf(second)]).toEqual([undefined, "Sun in Rome for alice"]);
    expect((await shop.balances()).alice).toBe(before.alice - 50);
  });

  test("prices a call by its name and arguments, and refuses a cheaper call's payment", async () => {
    const amount = ({ name, arguments: given }: { name: string; arguments: unknown }) =>
      name === "forecast" && (given as Given).days === 7 ? "0.300 HBD" : "0.050 HBD";
    const client = await connect(await serveTools(forecast({ amount })));
    const week = await client.callTool({ name: "forecast", arguments: { city: "Rome", days: 7 } });
    expect(offerIn(week).accepts[0]?.amount).toBe("300");
    // The cheap offer does not pay for the expensive call.
    const payment = await sign(offerIn(await client.callTool(inRome)));
    const dear = { name: "forecast", arguments: { city: "Rome", days: 7 } };
    expect(offerIn(await client.callTool(paying(payment, dear))).code).toBe("amount_mismatch");
  });

  test("refuses a cheaper call's payment whose tool has failed, if the schema creates sets", async () => {
    let isBroken = true;
    const amount = ({ arguments: given }: { arguments: unknown }) =>
      `0.${(given as { ids: Set<string> }).ids.size}00 HBD`;
    const register = (server: McpServer) =>
      server.registerTool(
        "report",
        { inputSchema: z.object({ ids: z.array(z.string()).transform((ids) => new Set(ids)) }) },
        paidTool({ ...shop.price, tool: "report", amount }, async ({ ids }) => ({
          ...(isBroken && { isError: true }),
          content: [{ type: "text" as const, text: isBroken ? "busy" : [...ids].join() }],
        })),
      );
    const client = await connect(await serveTools(register));
    const cheap = { name: "report", arguments: { ids: ["a"] } };
    const payment = await sign(offerIn(await client.callTool(cheap)));
    expect(textOf(await client.callTool(paying(payment, cheap)))).toBe("busy");
    isBroken = false;
    const dear = paying(payment, { name: "report", arguments: { ids: ["a", "b", "c", "d"] } });
    expect(offerIn(await client.callTool(dear)).code).toBe("payment_replayed");
    expect(textOf(await client.callTool(paying(payment, cheap)))).toBe("a");
  });

  test("delivers for the price that was paid, if the price rises while the tool fails", async () => {
    let price = "0.050 HBD";
    let isBroken = true;
    const work = () => (isBroken ? { isError: true } : {});
    const client = await connect(await serveTools(forecast({ amount: () => price }, work)));
    const payment = await sign(offerIn(await client.callTool(inRome)));
    expect((await client.callTool(paying(payment))).isError).toBe(true);
    price = "0.200 HBD";
    isBroken = false;
    expect(textOf(await client.callTool(paying(payment)))).toBe("Sun in Rome for alice");
  });

  test("sells calls whose schema creates integers of any size", async () => {
    const register = (server: McpServer) =>
      server.registerTool(
        "double",
        { inputSchema: z.object({ count: z.coerce.bigint() }) },
        paidTool({ ...shop.price, tool: "double" }, async ({ count }) => ({
          content: [{ type: "text" as const, text: String(count * 2n) }],
        })),
      );
    const client = await connect(await serveTools(register));
    const call = { name: "double", arguments: { count: 21 } };
    const payment = await sign(offerIn(await client.callTool(call)));
    expect(textOf(await client.callTool(paying(payment, call)))).toBe("42");
  });

  test("names to the seller an argument that can't be told apart, and asks for no payment", async () => {
    const faults: unknown[] = [];
    const onFault = (error: unknown) => void faults.push(error);
    const register = (server: McpServer) =>
      server.registerTool(
        "find",
        { inputSchema: z.object({ like: z.string().transform((text) => new RegExp(text)) }) },
        paidTool({ ...shop.price, tool: "find", onFault }, async () => ({ content: [] })),
      );
    const client = await connect(await serveTools(register));
    const result = await client.callTool({ name: "find", arguments: { like: "a" } });
    expect(offerIn(result).code).toBe("internal");
    expect(faults).toEqual([
      expect.objectContaining({ message: expect.stringContaining("the argument like") }),
    ]);
  });

  test("reports an error in `amount` to the seller, and hides it from the caller", async () => {
    const faults: unknown[] = [];
    const amount = () => {
      throw new Error("the password is 1234");
    };
    const onFault = (error: unknown) => void faults.push(error);
    const client = await connect(await serveTools(forecast({ amount, onFault })));
    const result = await client.callTool(inRome);
    expect(offerIn(result).code).toBe("internal");
    expect(JSON.stringify(result)).not.toContain("1234");
    expect(faults).toHaveLength(1);
  });

  test("withholds the result while its delivery can't be recorded", async () => {
    const memory = createMemoryClaimStore();
    const store: ClaimStore = {
      ...memory,
      replace: (key, expected, value, ttlSeconds) =>
        value.includes('"delivering"')
          ? Promise.reject(new Error("disk full"))
          : memory.replace(key, expected, value, ttlSeconds),
    };
    const client = await connect(await serveTools(forecast({ store })));
    const payment = await sign(offerIn(await client.callTool(inRome)));
    const result = await client.callTool(paying(payment));
    expect([result.isError, offerIn(result).code]).toEqual([true, "settlement_pending"]);
    expect(JSON.stringify(result)).not.toContain("Sun in");
  });

  test.each([
    ["a number", 7],
    ["text other than base64", "not base64!"],
    ["an object without a payload", { x402Version: 2 }],
    ["of another scheme", { x402Version: 1, scheme: "upto", network: "x", payload: {} }],
    ["100,000 characters long", "A".repeat(100_000)],
    ["a deeply nested list", JSON.parse("[".repeat(2000) + "]".repeat(2000))],
  ])("answers with invalid_payload and an offer if the payment is %s", async (_name, payment) => {
    runs = 0;
    const client = await connect(await serveTools(forecast()));
    const result = await client.callTool(paying(payment));
    expect(offerIn(result)).toMatchObject({ code: "invalid_payload", accepts: [{ amount: "50" }] });
    expect(runs).toBe(0);
  });

  test.each(["", ".", "a/../b", "a b", "ä", "x".repeat(129), undefined])("can't be named %j", (tool) => {
    const wrap = () => paidTool({ ...shop.price, tool: tool as string }, async () => ({}));
    expect(wrap).toThrow(TypeError);
  });

  test("refuses unknown options on creation", () => {
    const options = { ...shop.price, tool: "forecast", price: "0.050 HBD" };
    expect(() => paidTool(options, async () => ({}))).toThrow("price is no option");
  });
});
