import { z } from "zod";
import type { MemoTransfer } from "../../hive/memo-transfers.ts";
import type { Store } from "../../store/store.ts";
import { RefundError } from "./refund-error.ts";

/** The part of a paywall's claim that names the transfer that bought its content. */
const Bought = z.object({
  phase: z.string(),
  settlement: z.object({ txId: z.string().optional(), operation: z.number().optional() }).optional(),
});

/**
 * Rejects if a paywall on the same store has sold content for a transfer, or may be about to. A facilitator that says
 * otherwise is not believed.
 * @throws RefundError
 */
export async function assertUnused(
  store: Pick<Store, "get">,
  { memo, txId, operation }: MemoTransfer,
): Promise<void> {
  const text = await store.get(`x402:claim:${memo}`);
  if (text === null) return;
  const { phase, settlement } = Bought.parse(JSON.parse(text));
  if (phase === "settling" && !settlement)
    throw new RefundError("payment_not_final", "The claim of the transfer is being settled.");
  if (settlement?.txId === txId && settlement.operation === operation)
    throw new RefundError("payment_counted", "The transfer has paid for content.");
}
