import { describe, expect, test } from "vitest";
import { createWatchedFetch, decodeHeader, type PayStep } from "#app/(demo)/_pay/flow.ts";
import type { FlowStep } from "#app/(demo)/_wire/flow-step.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

async function watch(answer: () => Promise<Response>, headers: Record<string, string> = {}) {
  const flow: FlowStep[] = [];
  const steps: PayStep[] = [];
  const watched = createWatchedFetch(
    { onFlow: (step) => flow.push(step), onStep: (step) => steps.push(step) },
    answer as typeof fetch,
  );
  const outcome = await watched("http://shop.example/a", { method: "GET", headers }).catch(
    (error: unknown) => error,
  );
  return { flow, steps, outcome };
}

describe("the flow inspector's record", () => {
  test("of the first answer has the offer decoded and the request's id", async () => {
    const offer = { accepts: [{ maxAmountRequired: "0.050 HBD", description: "Käse" }] };
    const { flow, steps } = await watch(
      async () =>
        new Response("{}", { status: 402, headers: { "x-payment": encode(offer), "x-request-id": "r1" } }),
    );
    expect(steps).toEqual(["ask"]);
    expect(flow).toMatchObject([{ method: "GET", url: "http://shop.example/a", status: 402 }]);
    expect(flow[0]?.headers).toContainEqual(["← x-payment", offer]);
    expect(flow[0]?.headers).toContainEqual(["← x-request-id", "r1"]);
  });

  test("of the paid request has payment and receipt, and nothing of other request headers", async () => {
    const { flow, steps } = await watch(
      async () => new Response("{}", { headers: { "x-payment-response": encode({ success: true }) } }),
      { "x-payment": encode({ nonce: "n" }), authorization: "Bearer secret" },
    );
    expect(steps).toEqual(["settle"]);
    expect(flow[0]?.headers).toContainEqual(["→ x-payment", { nonce: "n" }]);
    expect(flow[0]?.headers).toContainEqual(["← x-payment-response", { success: true }]);
    expect(JSON.stringify(flow)).not.toContain("secret");
  });

  test("hides the secret that binds a payment to its holder", async () => {
    const payment = { scheme: "exact", payload: { nonce: "n", holder: "secret" } };
    const { flow } = await watch(async () => new Response("{}"), { "x-payment": encode(payment) });
    expect(flow[0]?.headers).toContainEqual([
      "→ x-payment",
      { scheme: "exact", payload: { nonce: "n", holder: "…" } },
    ]);
  });

  test("tells that a payment waits, and keeps a request without answer", async () => {
    const payment = { "x-payment": encode({}) };
    const waiting = await watch(async () => new Response("{}", { status: 503 }), payment);
    expect(waiting.steps).toEqual(["settle", "pending"]);
    const cut = await watch(() => Promise.reject(new TypeError("cut")), payment);
    expect([cut.flow[0]?.status, cut.outcome]).toEqual([null, new TypeError("cut")]);
  });

  test("a header that is no base64 JSON is none", () => {
    for (const text of [null, "", "%%%", Buffer.from("{").toString("base64")])
      expect(decodeHeader(text)).toBeNull();
  });
});
