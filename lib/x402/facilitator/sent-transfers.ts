import { createHash, randomUUID } from "node:crypto";
import { CodedError } from "../../errors.ts";
import { countOf, type MemoTransfer } from "../../hive/memo-transfers.ts";
import { formatMils, parseMils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import { MOST_TO_RETURN } from "../return-causes.ts";
import {
  isCounted,
  isPaidBack,
  isRefunded,
  readUse,
  returnedUse,
  type TransferUse,
  writeUse,
} from "../transfer-use.ts";
import type { TransferToReturn, VerifyResponse } from "../types.ts";
import type { Finality } from "./finality.ts";
import type { SettleOptions } from "./options.ts";
import type { ParsedTicket } from "./read-request.ts";
import type { Reason } from "./reasons.ts";
import type { Settlement } from "./settlement.ts";
import { CLOCK_MS, KEPT_SECONDS, LASTING_MS, LONGEST_OFFER_MS } from "./ticket-life.ts";
import type { FoundTransfers, TransferIndex } from "./transfer-index.ts";

/** The time after the end of an offer in which its transfers are listed as to be returned. */
const RETURNED_MS = 30 * 24 * 3_600_000;
const MAX_TRIES = 5;

/** Verifies and settles payments by sent transfers. */
export type SentTransfers = {
  verify(payment: ParsedTicket): Promise<VerifyResponse>;
  /** Lets the transfer count for this caller, once, or marks it as owed back to a payer that has the content. */
  settle(payment: ParsedTicket, options: SettleOptions): Promise<Settlement>;
};

/** The transfers of a ticket: the one that counts, if any, and those that buy nothing. */
type Found = FoundTransfers & {
  counted: MemoTransfer | undefined;
  use: TransferUse | null;
  toReturn: TransferToReturn[];
  /** The transfers of exactly the memo and the price that came too late. */
  late: MemoTransfer[];
  /** The reason if no transfer counts. */
  reason: Reason;
};

/** Creates the only code that lets sent transfers count. The store's atomic changes make this safe. */
export function createSentTransfers(options: {
  store: Pick<Store, "get" | "commit">;
  index: TransferIndex;
  /** The CAIP-2 name of the chain. */
  caip: string;
  finality: Finality;
}): SentTransfers {
  const { store, index, caip } = options;
  const placeOf = ({ payTo, memo }: ParsedTicket) => ({ caip, payTo, memo });
  const write = (payment: ParsedTicket, use: TransferUse) =>
    writeUse(store, placeOf(payment), use, KEPT_SECONDS);

  /** Sorts the transfers of a ticket without those that could count and that the seller has paid back. */
  const sortUnrefunded = async (
    payment: ParsedTicket,
    seen: FoundTransfers,
    use: TransferUse | null,
  ): Promise<Found> => {
    for (let { transfers } = seen; ; ) {
      const found = sort(payment, { ...seen, transfers }, use);
      const next = use ? undefined : (found.counted ?? found.late[0]);
      if (next && (await isPaidBack(store, { caip }, next))) {
        transfers = transfers.filter((transfer) => transfer !== next);
        continue;
      }
      const isOne = transfers.length < seen.transfers.length;
      return isOne && !found.counted ? { ...found, reason: "payment_replayed" } : found;
    }
  };

  const look = async (payment: ParsedTicket): Promise<Found> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { memo, payTo, amountMils } = payment;
      const amount = formatMils(amountMils);
      const seen = await index.find({ memo, payTo, amount, sinceMs: startOf(payment) });
      const use = await readUse(store, placeOf(payment));
      const found = await sortUnrefunded(payment, seen, use);
      const [late] = found.late;
      if (use || found.counted || !late) return found;
      // Only a transfer that can't count any more, whatever other nodes and processes see, may be returned.
      const { txId, operation, from: payer } = late;
      const returned = returnedUse({ txId, operation, payer });
      if (await write(payment, returned)) return sort(payment, found, returned);
    }
    throw new CodedError("overloaded");
  };

  const isFinalEnough = ({ finality }: ParsedTicket, { counted, irreversibleBlock }: Found) =>
    (finality !== "irreversible" && options.finality === "included") ||
    (counted !== undefined && counted.blockNum <= irreversibleBlock);

  const refuse = (
    { network }: ParsedTicket,
    errorReason: Reason,
    { toReturn, counted }: Pick<Found, "toReturn" | "counted">,
  ): Settlement => ({
    ...{ success: false, errorReason, transaction: counted?.txId ?? "", network },
    ...(counted && { payer: counted.from, txId: counted.txId, operation: counted.operation }),
    ...(toReturn.length > 0 && { toReturn }),
  });

  const succeed = ({ network }: ParsedTicket, counted: MemoTransfer, { toReturn }: Found): Settlement => {
    const { txId, operation, blockNum, from: payer } = counted;
    return {
      ...{ success: true, txId, operation, blockNum, payer, transaction: txId, network, extra: { blockNum } },
      ...(toReturn.length > 0 && { toReturn }),
    };
  };

  return {
    async verify(payment) {
      const found = await look(payment);
      const { counted, use, toReturn, reason } = found;
      const returned = toReturn.length > 0 && { toReturn };
      if (isCounted(use))
        return { isValid: false, invalidReason: "payment_replayed", payer: use.payer, ...returned };
      if (!counted) return { isValid: false, invalidReason: reason, ...returned };
      if (isFinalEnough(payment, found)) return { isValid: true, payer: counted.from, ...returned };
      return { isValid: false, invalidReason: "settlement_pending", payer: counted.from, ...returned };
    },

    async settle(payment, { idempotencyKey, signal }) {
      const mark = idempotencyKey === undefined ? randomUUID() : markOf(idempotencyKey, payment);
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const found = await look(payment);
        const { counted, use } = found;
        if (isCounted(use) && use.answeredTo !== mark) return refuse(payment, "payment_replayed", found);
        // A fork has removed the transfer, which may return in a later block.
        if (isCounted(use) && !counted) return refuse(payment, "settlement_pending", found);
        if (!counted) return refuse(payment, found.reason, found);
        if (!isFinalEnough(payment, found) || signal?.aborted)
          return refuse(payment, "settlement_pending", found);
        if (use) return succeed(payment, counted, found);
        const { txId, operation, from: payer } = counted;
        if (payment.returnTo !== undefined) {
          if (payer !== payment.returnTo) return refuse(payment, "payment_not_seen", found);
          const returned: TransferUse = { ...returnedUse({ txId, operation, payer }), cause: "paid_twice" };
          if (!(await write(payment, returned))) continue;
          const marked = sort(payment, found, returned);
          return refuse(payment, marked.reason, marked);
        }
        const taken: TransferUse = { txId, operation, payer, answeredTo: mark };
        if (await write(payment, taken)) return succeed(payment, counted, sort(payment, found, taken));
      }
      throw new CodedError("overloaded");
    },
  };
}

/**
 * Returns the time before which no transfer was sent for the ticket, in ms since 1970. A ticket without an end is as old
 * as its transfer.
 */
const startOf = ({ endMs, maxTimeoutMs }: ParsedTicket): number =>
  Number.isFinite(endMs)
    ? endMs - Math.min(maxTimeoutMs, LONGEST_OFFER_MS) - CLOCK_MS
    : Number.POSITIVE_INFINITY;

/**
 * Sorts the transfers of a ticket by its use. Without one, a transfer of exactly the memo and the price may still count,
 * so it is not listed as to be returned.
 */
function sort(payment: ParsedTicket, seen: FoundTransfers, use: TransferUse | null): Found {
  const { transfers, irreversibleBlock, reachedTimeMs } = seen;
  const isEnded = reachedTimeMs > payment.endMs + LASTING_MS;
  const returnedCause = use?.cause;
  const isUsed = ({ txId, operation }: MemoTransfer) => use?.txId === txId && use.operation === operation;
  const isOfPrice = (transfer: MemoTransfer) => causeIn(transfer, payment) === null;
  const isTooLate = (transfer: MemoTransfer) => isEnded || isLate(transfer, payment, reachedTimeMs);
  // The uses of older tickets are about to be forgotten, and their transfers could be returned though they counted.
  const isForgotten = reachedTimeMs > payment.endMs + RETURNED_MS;
  const isKept = (transfer: MemoTransfer) => !isRefunded(use) || !isUsed(transfer);
  const sent = isForgotten
    ? []
    : transfers.filter((transfer) => transfer.from !== transfer.to && isKept(transfer));
  const late = sent.filter((transfer) => isOfPrice(transfer) && isTooLate(transfer));
  const counted = isCounted(use)
    ? sent.find(isUsed)
    : use
      ? undefined
      : sent.find((transfer) => isOfPrice(transfer) && !isTooLate(transfer));
  const wrong = sent.filter((transfer) =>
    isCounted(use) ? !isUsed(transfer) : use !== null || !isOfPrice(transfer),
  );
  const causeOf = (transfer: MemoTransfer): TransferToReturn["cause"] => {
    if (isUsed(transfer) && returnedCause) return returnedCause;
    const wrong = causeIn(transfer, payment);
    // The memo or the coin is wrong whenever the transfer came.
    if (wrong === "paid_other_memo" || wrong === "paid_other_coin") return wrong;
    if (isTooLate(transfer)) return "paid_too_late";
    return wrong ?? (isCounted(use) ? "paid_twice" : (returnedCause ?? "paid_too_late"));
  };
  const toReturn = listInTurn(wrong, reachedTimeMs).map((transfer) => {
    const { txId, operation, blockNum, from: payer, amount } = transfer;
    return { txId, operation, blockNum, payer, amount, cause: causeOf(transfer) };
  });
  const causes = toReturn.map(({ cause }) => cause);
  // Other causes would ask for one more transfer, which buys nothing any more.
  const reasonOfEnd = causes.includes("paid_too_late") ? "paid_too_late" : "requirements_expired";
  const isOver = isEnded || (use !== null && !isCounted(use));
  const reason = isRefunded(use)
    ? "payment_replayed"
    : (returnedCause ?? (isOver ? reasonOfEnd : (causes[0] ?? "payment_not_seen")));
  return { transfers, reachedTimeMs, irreversibleBlock, counted, use, late, toReturn, reason };
}

/**
 * Lists the largest transfers first, so that dust hides none of them. If there are more than an answer holds, the others
 * take turns from block to block in the half of it that is theirs, so that each of them comes into the books.
 */
function listInTurn(wrong: readonly MemoTransfer[], timeMs: number): MemoTransfer[] {
  const sorted = wrong.toSorted((one, other) => Number(countOf(other) - countOf(one)));
  if (sorted.length <= MOST_TO_RETURN) return sorted;
  const half = MOST_TO_RETURN / 2;
  const others = sorted.slice(half);
  // Drawn by the time, because turns in order could fall in with the times at which a claim is presented.
  const drawn = createHash("sha256").update(String(timeMs)).digest().readUInt32BE();
  const turn = drawn % Math.ceil(others.length / half);
  return [...sorted.slice(0, half), ...others.slice(turn * half, (turn + 1) * half)];
}

/** Returns why a transfer of its time buys nothing, or null if it has exactly the memo and the price. */
function causeIn(
  transfer: MemoTransfer,
  { memo, amountMils }: ParsedTicket,
): TransferToReturn["cause"] | null {
  if (transfer.memo !== memo) return "paid_other_memo";
  const paid = parseMils(transfer.amount);
  if (paid === null) return "paid_other_coin";
  if (paid === amountMils) return null;
  return paid < amountMils ? "paid_too_little" : "paid_too_much";
}

/** Returns whether a transfer is too late or, if its offer names no end, too old. */
function isLate({ timeMs }: MemoTransfer, { endMs, maxTimeoutMs }: ParsedTicket, nowMs: number): boolean {
  return Number.isFinite(endMs) ? timeMs > endMs + LASTING_MS : timeMs + maxTimeoutMs + LASTING_MS < nowMs;
}

/** A key counts for one ticket of one resource, so another caller's key yields nothing. */
const markOf = (key: string, { ticket, resource }: ParsedTicket): string =>
  createHash("sha256")
    .update(JSON.stringify([key, ticket, resource]))
    .digest("hex");
