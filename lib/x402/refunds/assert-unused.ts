import { z } from "zod";
import type { MemoTransfer } from "../../hive/memo-transfers.ts";
import type { Store } from "../../store/store.ts";
import { claimKeyOf } from "../paywall/claim.ts";
import { bareMemoOf } from "../ticket-memo.ts";
import { isCounted, readUse } from "../transfer-use.ts";
import { RefundError } from "./refund-error.ts";

/** The part of a paywall's claim that names the transfer that bought its content. */
const Bought = z.object({
  phase: z.string(),
  settlement: z.object({ txId: z.string().optional(), operation: z.number().optional() }).optional(),
});

/**
 * Rejects if a paywall on the same store has sold content for a transfer, or may be about to. A facilitator that says
 * otherwise is not believed, unless it uses the same store. `caip` is the CAIP-2 name of the chain.
 * @throws RefundError
 */
export async function assertUnused(
  store: Pick<Store, "get">,
  caip: string,
  { to: payTo, memo: sent, txId, operation }: MemoTransfer,
): Promise<void> {
  // Another facilitator may have let a transfer with whitespace around its memo count.
  const memo = bareMemoOf(sent);
  const isThis = (other: { txId?: string | undefined; operation?: number | undefined } | undefined) =>
    other?.txId === txId && other.operation === operation;
  const use = await readUse(store, { caip, payTo, memo });
  const text = await store.get(claimKeyOf(memo));
  const claim = text === null ? null : Bought.parse(JSON.parse(text));
  if (isThis(claim?.settlement) || (isCounted(use) && isThis(use)))
    throw new RefundError("payment_counted", "The transfer has paid for content.");
  const isOpen = claim?.phase === "settling" && !claim.settlement;
  if (isOpen && (use === null || isCounted(use)))
    throw new RefundError("payment_not_final", "The claim of the transfer is being settled.");
}
