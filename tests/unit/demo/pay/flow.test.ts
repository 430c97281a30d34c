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
  test("shows the decoded offer and the request id of the first answer", async () => {
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

  test("shows payment and receipt of the paid request, and no other request headers", async () => {
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

  test("shows a pending payment, and keeps a request without an answer", async () => {
    const payment = { "x-payment": encode({}) };
    const waiting = await watch(async () => new Response("{}", { status: 503 }), payment);
    expect(waiting.steps).toEqual(["settle", "pending"]);
    const cut = await watch(() => Promise.reject(new TypeError("cut")), payment);
    expect([cut.flow[0]?.status, cut.outcome]).toEqual([null, new TypeError("cut")]);
  });

  test("ignores a header that is not base64 JSON", () => {
    for (const text of [null, "", "%%%", Buffer.from("{").toString("base64")])
      expect(decodeHeader(text)).toBeNull();
  });
});
