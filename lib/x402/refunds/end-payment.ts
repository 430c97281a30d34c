import { CodedError } from "../../errors.ts";
import type { Change, Store } from "../../store/store.ts";
import { KEPT_SECONDS as USE_SECONDS } from "../facilitator/ticket-life.ts";
import { nonceOf } from "../header.ts";
import { Purchase } from "../paywall/access.ts";
import { Claim, claimKeyOf, KEEP_SECONDS, leaseKeyOf, serialise } from "../paywall/claim.ts";
import { endKeyOf } from "../return-book.ts";
import { bareMemoOf, holdsTicketMemo } from "../ticket-memo.ts";
import { isCounted, memoKeyOf, parseUse, refundedUse, transferKeyOf } from "../transfer-use.ts";
import { RefundError } from "./refund-error.ts";

/** A transfer that the seller pays back. */
export type PaidBack = {
  /** The refunded payment. */
  paymentId: string;
  payer: string;
  payTo: string;
  memo: string;
  /** The ids that the chain may have for its transaction. */
  txIds: readonly string[];
  operation: number;
  /** True if all of it is paid back. */
  isWhole: boolean;
};

/** The part of a store's change that belongs to another one. */
export type PartOfChange = Required<Pick<Change, "expect" | "set" | "delete">>;

const NOTHING: PartOfChange = { expect: [], set: [], delete: [] };

/** Returns the refusal of a refund that meets a paywall's work on the payment. */
export const inUse = (): RefundError =>
  new RefundError(
    "payment_in_use",
    "The payment is being presented or delivered at this moment; try again in a few seconds.",
  );

/**
 * Returns the change of a store that ends a payment, so that it opens nothing at the paywalls and counts at no
 * facilitator on this store. It belongs into the change that records the refund, and expects that nobody works on the
 * payment. `caip` and `network` are the chain's names in uses and in books.
 * @throws RefundError `payment_in_use`, CodedError `degraded`
 */
export async function endPayment(
  store: Pick<Store, "get">,
  { caip, network }: { caip: string; network: string },
  paid: PaidBack,
): Promise<PartOfChange> {
  const isSent = holdsTicketMemo(paid.memo);
  // Only payments have a nonce.
  if (!isSent && nonceOf(paid.memo) === undefined) return NOTHING;
  const id = isSent ? bareMemoOf(paid.memo) : paid.paymentId;
  if ((await store.get(leaseKeyOf(id))) !== null) throw inUse();
  const text = await store.get(claimKeyOf(id));
  const claim = read(Claim, text);
  const expected: PartOfChange = {
    ...NOTHING,
    expect: [
      [leaseKeyOf(id), null],
      [claimKeyOf(id), text],
    ],
  };
  if (!isSent) {
    const ended = claim ? endOf(claim) : unseen();
    return join(expected, writeClaim(id, ended), await endPurchase(store, claim, paid));
  }
  return join(expected, await endTransfer(store, { caip, network, id }, { claim, paid }));
}

/** Ends a sent transfer: its use, the claim that it has settled or is about to, and its place in the books. */
async function endTransfer(
  store: Pick<Store, "get">,
  { caip, network, id: memo }: { caip: string; network: string; id: string },
  { claim, paid }: { claim: Claim | null; paid: PaidBack },
): Promise<PartOfChange> {
  const { payer, payTo, operation, txIds } = paid;
  const isThis = (other: { txId?: string | undefined; operation?: number | undefined } | null | undefined) =>
    other?.txId !== undefined && txIds.includes(other.txId) && other.operation === operation;
  const memoKey = memoKeyOf({ caip, payTo, memo });
  const memoText = await store.get(memoKey);
  const memoUse = parseUse(memoText);
  const keys = txIds.map((txId) => ({ txId, key: transferKeyOf({ caip }, { txId, operation }) }));
  const texts = await Promise.all(keys.map(({ key }) => store.get(key)));
  const expected: PartOfChange = {
    ...NOTHING,
    expect: [[memoKey, memoText], ...keys.map(({ key }, index) => [key, texts[index] ?? null] as const)],
    set: txIds.map((txId) => [endKeyOf({ network, account: payTo }, { txId, operation }), "1"] as const),
  };
  const isSettled = claim?.settlement !== undefined;
  const isOfClaim = claim !== null && !claim.isProof && isThis(isSettled ? claim.settlement : memoUse);
  if (isOfClaim && hasDelivered(claim)) return join(expected, await endPurchase(store, claim, paid));
  const isCountedNow = isCounted(memoUse) && isThis(memoUse);
  const marks = keys
    .filter((_, index) => isCountedNow || (texts[index] ?? null) === null)
    .map(({ txId, key }) => [key, markOf({ txId, operation, payer }), USE_SECONDS] as const);
  const ofMemo = isCountedNow
    ? [[memoKey, markOf({ txId: memoUse.txId, operation, payer }), USE_SECONDS] as const]
    : [];
  const marked = { ...NOTHING, set: [...marks, ...ofMemo] };
  if (isOfClaim)
    return join(expected, marked, writeClaim(memo, endOf(claim)), await endPurchase(store, claim, paid));
  // This transfer may be settling the claim, or another one with its memo. What is written about the settlement fails
  // now, and the next presentation sees the mark.
  const fenced = claim && !isSettled ? writeClaim(memo, { ...claim, fence: crypto.randomUUID() }) : NOTHING;
  return join(expected, marked, fenced);
}

/** Ends the account's purchase by the payment, unless it has the content and paid for a part of it. */
async function endPurchase(
  store: Pick<Store, "get">,
  claim: Claim | null,
  { txIds, isWhole }: PaidBack,
): Promise<PartOfChange> {
  const key = claim?.purchaseKey;
  if (!claim || key === undefined || (hasDelivered(claim) && !isWhole)) return NOTHING;
  const text = await store.get(key);
  const bought = read(Purchase, text)?.settlement.txId;
  const isOfPayment = bought !== undefined && txIds.includes(bought);
  return { ...NOTHING, expect: [[key, text]], delete: isOfPayment ? [key] : [] };
}

const hasDelivered = ({ phase }: Claim): boolean => phase === "delivered" || phase === "doubted";

/** Returns what becomes of a claim. A delivered one opens nothing anyway. */
function endOf(claim: Claim): Claim {
  if (hasDelivered(claim)) return claim;
  const { delivery: _over, ...rest } = claim;
  return { ...rest, phase: "refunded" };
}

/** Returns the claim on a payment that no paywall has seen yet. */
const unseen = (): Claim => ({
  ...{ phase: "refunded", resource: "", validBefore: "", amount: "", idempotencyKey: crypto.randomUUID() },
});

const writeClaim = (id: string, claim: Claim): PartOfChange => ({
  ...NOTHING,
  set: [[claimKeyOf(id), serialise(claim), KEEP_SECONDS]],
});

const markOf = (transfer: Parameters<typeof refundedUse>[0]): string => JSON.stringify(refundedUse(transfer));

const join = (...parts: readonly PartOfChange[]): PartOfChange => ({
  expect: parts.flatMap(({ expect }) => expect),
  set: parts.flatMap(({ set }) => set),
  delete: parts.flatMap((part) => part.delete),
});

/** Reads a stored value. @throws CodedError `degraded` */
function read<T>(schema: { parse(value: unknown): T }, text: string | null): T | null {
  try {
    return text === null ? null : schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CodedError("degraded", { cause });
  }
}
