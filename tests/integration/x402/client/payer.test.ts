import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AnswerToPaidCall,
  createPayer,
  type MadePayment,
  type PayerOptions,
  type PaymentPayload,
  type PaymentPayloadV2,
} from "#lib/x402/client/index.ts";
import { createMemoryStore } from "#lib/x402/memory-store.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { makeOfferV2 } from "../../../harness/serve-version2.ts";
import { type Shop, startShop } from "../../../harness/start-shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

type Payment = PaymentPayload | PaymentPayloadV2;

const url = "https://mcp.example/mcp";
const required = {
  x402Version: 2,
  resource: { url: "mcp://tool/search", description: "a search" },
  accepts: [makeOfferV2()],
};
const payerOf = (options: Partial<PayerOptions> = {}) =>
  createPayer({ ...shop.purse(), ...options } as PayerOptions);

/** Creates a tool that returns the answers in turn, and records the payments. */
function toolOf(...answers: Array<AnswerToPaidCall<string> | Error>) {
  const payments: Payment[] = [];
  const repeats: boolean[] = [];
  const send = async (payment: Payment, { isRepeat }: { isRepeat: boolean }) => {
    payments.push(payment);
    repeats.push(isRepeat);
    const answer = answers.shift();
    if (answer === undefined) throw new Error("called too often");
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { payments, repeats, call: { required, url, request: "search dogs", send } };
}

const receipt = { success: true, transaction: "d".repeat(40), network: "chain:sandbox" };

describe("a payer", () => {
  test("pays a call with a payment that the facilitator settles", async () => {
    const before = await shop.balances();
    const told: MadePayment[] = [];
    const payer = payerOf({ onPayment: (payment) => told.push(payment) });
    const answer = await payer.pay({
      ...{ required, url, request: "search dogs" },
      async send(payment) {
        const [paymentRequirements] = required.accepts;
        const settled = await shop.facilitator.settle({
          ...{ x402Version: 2, paymentPayload: payment, paymentRequirements },
        } as never);
        return { value: "dogs", receipt: settled };
      },
    });
    expect(answer).toBe("dogs");
    expect((await shop.balances()).alice).toBe(before.alice - 50);
    expect(await payer.spent()).toEqual({ lastDay: "0.050 HBD", byHost: { "mcp.example": "0.050 HBD" } });
    expect(told).toMatchObject([
      { url, payTo: "shop", amount: "0.050 HBD", status: null, txId: expect.stringMatching(/^\w{40}$/) },
    ]);
  });

  test("pays an offer of version 1 in that version's form", async () => {
    const tool = toolOf({ value: "dogs", receipt });
    const first = { x402Version: 1, accepts: [makeOffer({ resource: "mcp://tool/search" })] };
    expect(await payerOf().pay({ ...tool.call, required: first })).toBe("dogs");
    expect(tool.payments).toMatchObject([{ x402Version: 1, scheme: "exact", network: "chain:sandbox" }]);
  });

  test("sends the same payment for an equal call after an error and a restart", async () => {
    const store = createMemoryStore();
    const tool = toolOf(new Error("connection lost"), { value: "dogs", receipt }, { value: "cats", receipt });
    const budget = { perDay: "1.000 HBD", store };
    await expect(payerOf({ budget }).pay(tool.call)).rejects.toThrow("connection lost");
    const payer = payerOf({ budget });
    expect(await payer.pay(tool.call)).toBe("dogs");
    expect(tool.payments[1]).toEqual(tool.payments[0]);
    expect(tool.repeats).toEqual([false, true]);
    expect((await payer.spent()).lastDay).toBe("0.050 HBD");
    expect(await payer.pay({ ...tool.call, request: "search cats" })).toBe("cats");
    expect(tool.payments[2]).not.toEqual(tool.payments[0]);
  });

  test("sends the same payment after an answer without a receipt or without content", async () => {
    for (const nothing of [{ value: "login" }, { value: "busy", isUnserved: true }]) {
      const tool = toolOf(...Array.from({ length: 6 }, () => nothing), { value: "dogs", receipt });
      const payer = payerOf();
      expect(await payer.pay(tool.call)).toBe(nothing.value);
      while ((await payer.pay(tool.call)) !== "dogs");
      expect(new Set(tool.payments.map((payment) => JSON.stringify(payment))).size).toBe(1);
    }
  });

  test("sends the same payment again while its settlement is pending", async () => {
    const pending = { ...receipt, success: false, errorReason: "settlement_pending" };
    const tool = toolOf({ value: "no", required, receipt: pending }, { value: "dogs", receipt });
    expect(await payerOf().pay(tool.call)).toBe("dogs");
    expect(tool.payments[1]).toEqual(tool.payments[0]);
  });

  test("returns a refusal of the payment without signing another", async () => {
    const tool = toolOf({ value: "no", required: { ...required, error: "insufficient_funds" } });
    expect(await payerOf().pay(tool.call)).toBe("no");
    expect(tool.payments).toHaveLength(1);
  });

  test.each<[string, Partial<PayerOptions>, object]>([
    ["the limit", { maxPayment: "0.040 HBD" }, { code: "over_limit", limit: "0.040 HBD" }],
    ["the budget", { budget: { perHost: "0.010 HBD" } }, { code: "over_budget", left: "0.010 HBD" }],
    ["the allowed hosts", { allowedHosts: ["other.example"] }, { code: "host_not_allowed" }],
    ["the allowed payees", { allowedPayees: ["bob"] }, { code: "payee_not_allowed" }],
    ["an approval", { approve: ({ url: asked }) => asked !== url }, { code: "not_approved" }],
  ])("enforces %s", async (_name, options, error) => {
    const tool = toolOf();
    const offer = { amount: "0.050 HBD", payTo: "shop" };
    await expect(payerOf(options).pay(tool.call)).rejects.toMatchObject({ ...error, offer });
    expect(tool.payments).toEqual([]);
  });

  test("refuses an offer for another site's page", async () => {
    const tool = toolOf();
    const elsewhere = { ...required, resource: { url: "https://bank.example/a" } };
    await expect(payerOf().pay({ ...tool.call, required: elsewhere })).rejects.toMatchObject({
      code: "resource_mismatch",
    });
  });

  test("quotes a call, and reports an unreadable offer as a refusal", async () => {
    const payer = payerOf();
    expect(await payer.quote({ required, url: "mcp://search" })).toEqual({
      status: null,
      offers: [
        {
          ...{ amount: "0.050 HBD", payTo: "shop", network: "chain:sandbox", url: "mcp://search" },
          ...{ description: "a search", version: 2, flow: "authorization" },
        },
      ],
      refusal: null,
    });
    expect(await payer.quote({ required: "nonsense", url })).toMatchObject({ refusal: { code: "no_offer" } });
  });

  test("refuses the option `fetch`, which it would not use", () => {
    expect(() => payerOf({ fetch } as never)).toThrow(/fetch is no option/);
  });
});
