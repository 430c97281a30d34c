import { describe, expect, test } from "vitest";
import { createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { askPaid } from "../../../harness/ask-paid.ts";
import { openShop } from "../../../harness/open-shop.ts";

const { shop, sell } = await openShop();

describe("a seller with lost claims", () => {
  test("delivers nothing twice, because the facilitator reports success to one idempotency key only", async () => {
    let runs = 0;
    let claims = createMemoryClaimStore();
    const url = await sell(() => Response.json({ run: ++runs }), {
      store: {
        get: (key) => claims.get(key),
        setIfAbsent: (...given) => claims.setIfAbsent(...given),
        replace: (...given) => claims.replace(...given),
        deleteIf: (...given) => claims.deleteIf(...given),
      },
    });
    const payment = await shop.payFor(url);
    expect((await askPaid(url, payment)).status).toBe(200);
    claims = createMemoryClaimStore();
    const again = await askPaid(url, payment);
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([
      402,
      "payment_replayed",
    ]);
    expect(runs).toBe(1);
  });
});
