import { z } from "zod";
import { type ClaimStore, guardStore } from "../paywall/claim-store.ts";
import { type PaymentHeader, parsePaymentHeader } from "../paywall/read-payment.ts";
import type { ToolResult } from "./tool-result.ts";

/** The time within which a client asks again for a lost answer. */
const KEEP_SECONDS = 600;
const MAX_CHARACTERS = 131_072;

const Kept = z.object({ place: z.string(), holder: z.string(), result: z.record(z.string(), z.unknown()) });

/**
 * The results of paid calls, stored because a connection does not report whether its client has received one.
 */
export type KeptResults = {
  /** Stores the result of a payment, if a secret proves its payer. Never rejects. */
  keep(payment: PaymentHeader, place: string, result: ToolResult): Promise<void>;
  /** Returns the result of a payment for the same call by the same holder, or `null`. Never rejects. */
  find(payment: PaymentHeader, place: string): Promise<ToolResult | null>;
};

/** Creates the collection of results, in the store of a tool's deliveries. */
export function createKeptResults(given: ClaimStore, networks: readonly string[]): KeptResults {
  const store = guardStore(given);
  /**
   * Returns the key and holder of a payment's result; null without a secret, because anyone can copy such a
   * payment from its block.
   */
  const read = (payment: PaymentHeader) => {
    const brought = parsePaymentHeader(payment, networks);
    if (typeof brought === "string" || brought.holder === undefined) return null;
    return { key: `x402:result:${brought.id}`, holder: brought.holder };
  };
  return {
    async keep(payment, place, result) {
      const brought = read(payment);
      if (!brought) return;
      try {
        const text = JSON.stringify({ place, holder: brought.holder, result });
        if (text.length <= MAX_CHARACTERS) await store.setIfAbsent(brought.key, text, KEEP_SECONDS);
      } catch {
        // The result is not stored, so a lost answer stays lost.
      }
    },
    async find(payment, place) {
      const brought = read(payment);
      if (!brought) return null;
      try {
        const kept = Kept.parse(JSON.parse((await store.get(brought.key)) ?? "null"));
        return kept.place === place && kept.holder === brought.holder ? (kept.result as ToolResult) : null;
      } catch {
        return null;
      }
    },
  };
}
