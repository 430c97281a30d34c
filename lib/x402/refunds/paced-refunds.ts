import { caipOf, MAINNET_CHAIN_ID, MAINNET_NODES, networkNames } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { parseAsset } from "../../hive/asset-text.ts";
import { createHiveClient, type HiveClient } from "../../hive/client.ts";
import { countOf, type MemoTransfer } from "../../hive/memo-transfers.ts";
import { packTransaction, transactionId } from "../../hive/packing.ts";
import { parseSignature, type UnsignedTransaction } from "../../hive/transaction.ts";
import { formatMils, type Mils, parseMils, toMils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import { assertKnown } from "../check-options.ts";
import type { UnsignedTransfer } from "../client/build-transfer.ts";
import { createSigner, type SignTransaction } from "../client/signer.ts";
import { type ChainStanding, createChainClock } from "../facilitator/chain-clock.ts";
import { toFacilitatorError } from "../facilitator/facilitator-error.ts";
import type { PaymentRecord } from "../facilitator/payment-record.ts";
import { openPaymentStore } from "../facilitator/payment-store.ts";
import { createTracker } from "../facilitator/track.ts";
import { createHourlyLimit } from "../hourly-limit.ts";
import { createReturnBook, noteInBook } from "../return-book.ts";
import type { SignedTransfer } from "../transfer.ts";
import type { SignedTransaction, TransferToReturn } from "../types.ts";
import { assertUnused } from "./assert-unused.ts";
import { endPayment, inUse, type PaidBack } from "./end-payment.ts";
import { findPaidOperation, parsePaymentName } from "./find-paid-operation.ts";
import { countSent, findSentTransfer, readPaymentId } from "./find-sent-transfer.ts";
import { orderReturns } from "./order-returns.ts";
import { readPaidTransfer } from "./read-paid-transfer.ts";
import { RefundError } from "./refund-error.ts";
import { memoOfRefund, memoOfReturn } from "./refund-memo.ts";
import { createRefundBook, type RefundEntry, type RefundRecord } from "./refund-record.ts";
import { isRefundable, notPaidTo } from "./refundable.ts";

const MAX_REASON = 200;
/** Longer than the time from a transfer's block to the end of its validity on any chain. */
const LONGEST_VALIDITY_MS = 2 * 24 * 3_600_000;
/** The most returns in an hour that nobody asked for, because each one costs the account resource credits. */
const MOST_RETURNS_AN_HOUR = 60;
/** The most returns that one call tries, because some may fail. */
const MOST_TRIED = 1000;
/** The most attempts to record a refund while paywalls change what they store of the payment. */
const MOST_WRITES = 5;

export type RefundsOptions = {
  /** The account that was paid, and pays back. */
  account: string;
  /** The private active key of `account` in WIF, instead of `signTransaction`. */
  activeKey?: string | undefined;
  signTransaction?: SignTransaction;
  /** The store of refunds; all servers that refund for the account must share it. */
  store?: Store;
  /** Without `store`: a Redis server, or else the folder of a SQLite file (default `.data`). */
  redisUrl?: string;
  dataDir?: string;
  /** The chain: a client of your own, or the addresses of nodes (default: public ones). */
  client?: HiveClient;
  nodes?: readonly string[];
  /** Id of the chain behind `nodes` (default: mainnet). */
  chainId?: string;
};

/** Times of the search for the block that makes a refund final. */
type RefundPace = {
  /** Milliseconds that a call waits for the block. */
  waitMs: number;
  /** Milliseconds between searches. */
  pollMs: number;
  /** A monotonic clock in ms. */
  now?: () => number;
};

const known = {
  account: true,
  activeKey: true,
  signTransaction: true,
  store: true,
  redisUrl: true,
  dataDir: true,
  client: true,
  nodes: true,
  chainId: true,
} as const satisfies Record<keyof RefundsOptions, true>;

/** A refund of a payment. */
export type Refund = {
  /** `pending`: its transfer is on its way; `done`: the transfer is in a block that no fork can undo. */
  state: "pending" | "done";
  /** The refunded payment. */
  paymentId: string;
  /** The id of the transfer that pays the payment back. */
  txId: string;
  to: string;
  /** The amount, such as "0.050 HBD". */
  amount: string;
  reason: string;
  /** The time in ISO 8601. */
  requestedAt: string;
  blockNum?: number;
};

export type Refunds = {
  /** The account that pays back. */
  readonly account: string;
  /**
   * Pays a payment back to its payer, all of it unless `amount` is less, or any other transfer to the account, in its
   * coin; of HIVE always all. A payment is refunded once: a repeat
   * returns the same refund, and sends its transfer again while no block contains it. If a transaction paid the account
   * several times, `txId` names one payment by a colon and the index of its operation. It opens nothing any more at a
   * paywall on the same store.
   * @throws RefundError, and FacilitatorError `chain_unavailable` or `degraded`, after which it is safe to
   * repeat the call
   */
  refund(txId: string, reason: string, options?: { amount?: string }): Promise<Refund>;
  /**
   * Sends a transfer back that bought nothing, such as a paywall reports in `toReturn`, all of it and once, as soon as
   * no fork can undo it. Until then, it is in the books.
   * @throws as `refund` does; it is safe to repeat the call
   */
  giveBack(transfer: TransferToReturn): Promise<Refund>;
  /** Lists the transfers in the books that were not sent back yet. */
  owed(): Promise<TransferToReturn[]>;
  /** Returns the refund of a payment, or `null`. */
  find(txId: string): Promise<Refund | null>;
  /**
   * Continues every pending refund, sends back what is owed from 0.010 on, up to 60 transfers an hour, by turns the one
   * with the largest product of amount and wait and the oldest, and returns these refunds as they are now.
   * Call this when the server starts, and regularly while any refund is pending.
   * @throws the first failure, after it has tried all of them
   */
  recover(): Promise<Refund[]>;
  close(): Promise<void>;
};

/** Creates the refunds of an account, at a pace that simulations choose. @throws TypeError for invalid options */
export function createPacedRefunds(options: RefundsOptions, { waitMs, pollMs, now }: RefundPace): Refunds {
  assertKnown(options, known);
  const { account, activeKey, signTransaction } = options;
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  const client =
    options.client ??
    createHiveClient({
      nodes: options.nodes ?? MAINNET_NODES,
      chainId: options.chainId ?? MAINNET_CHAIN_ID,
    });
  const sign = createSigner(account, signTransaction ? { signTransaction } : { activeKey }, client.chainId);
  const store =
    options.store ?? openPaymentStore({ redisUrl: options.redisUrl, dataDir: options.dataDir ?? ".data" });
  const book = createRefundBook(store, { chainId: client.chainId, account });
  const [network] = networkNames(client.chainId);
  const owed = createReturnBook(store, { network, account });
  const returns = createHourlyLimit(MOST_RETURNS_AN_HOUR, now);
  const isOneEnough = () => false;
  const clock = createChainClock(client, { isOneEnough: false });
  const tracker = createTracker({ client, clock, isOneEnough, waitMs, pollMs, onResend: () => {} });

  /**
   * Returns the only transfer of a transaction, which paid this account, in a block that no fork can undo; null if there
   * is no transaction of this kind. @throws RefundError
   */
  const findPayment = async (txId: string): Promise<SignedTransfer | null> => {
    const paid = await readPaidTransfer(client, txId);
    if (!paid) return null;
    if (!isRefundable(paid, account)) throw notPaidTo(account);
    const place = await tracker.findStatus(toTracked(paid));
    if (place.kind !== "included")
      throw new RefundError(
        "payment_not_final",
        "Two nodes do not have the payment in a block that no fork can undo yet; try again in a minute.",
      );
    return paid;
  };

  const signRefund = async (
    { paymentId, to, amountMils, reason, requestedAt }: RefundTerms,
    { amount, memo }: { amount: string; memo: string },
  ): Promise<RefundRecord> => {
    const head = await clock(0);
    const unsigned = toUnsigned({ from: account, to, amount, memo }, head, sign.lifeMs);
    return {
      ...{ state: "pending", paymentId, to, amountMils, reason, requestedAt },
      ...readSigned(unsigned, await sign(unsigned)),
    };
  };

  /** Sends the stored transfer, and signs another one only if no block can include the stored one any more. */
  const advance = async (entry: RefundEntry, attempt: "first" | "repeat"): Promise<RefundRecord> => {
    const { record } = entry;
    if (record.state === "done") return record;
    const outcome = await tracker.settle(toTrackedRefund(record), { attempt, onTaken: async () => {} });
    if (outcome.kind === "included") {
      const { txId, blockNum } = outcome;
      const done: RefundRecord = { ...record, state: "done", txId, blockNum };
      return (await book.write(done, entry))?.record ?? reread(record);
    }
    const isOver = outcome.kind === "failed" && outcome.failure === "transaction_expired";
    if (!isOver) return record;
    const [[, sent]] = record.transaction.operations;
    const again = await book.write(await signRefund(record, sent), entry);
    return again ? advance(again, "first") : reread(record);
  };

  const reread = async (record: RefundRecord) => (await book.find(record.paymentId))?.record ?? record;

  const refund: Refunds["refund"] = async (txId, reason, { amount } = {}) => {
    if (typeof reason !== "string" || reason === "" || reason.length > MAX_REASON)
      throw new TypeError(`reason must be a text of up to ${MAX_REASON} characters`);
    const asked = amount === undefined ? undefined : parseMils(amount);
    if (asked === null || asked === 0) throw new TypeError('amount must be text such as "0.050 HBD"');
    // A payment with a record was checked before, so a repeat does not depend on nodes that have it.
    const known = await book.find(txId);
    if (known) return toRefund(await advance(known, "repeat"));
    const name = parsePaymentName(txId);
    if (!name) throw new RefundError("payment_not_found", "The chain has no transfer with this id.");
    const paid = name.operation === undefined ? await findPayment(txId) : null;
    if (!paid) return toRefund(await refundOperation(name, { reason, asked }));
    const paymentId = paid.ids.legacy;
    const present = paymentId === txId ? null : await book.find(paymentId);
    if (present) return toRefund(await advance(present, "repeat"));
    const amountMils = chooseAmount(asked, paid);
    if (await isPaidBack(client, account, paid)) {
      // Another process may have recorded and paid it meanwhile.
      const recorded = await book.find(paymentId);
      if (recorded) return toRefund(await advance(recorded, "repeat"));
      throw new RefundError("already_refunded", "The chain has a refund that this store does not know.");
    }
    const requestedAt = new Date().toISOString();
    const terms = { paymentId, to: paid.from, amountMils, reason, requestedAt };
    const signed = await signRefund(terms, {
      amount: formatMils(amountMils),
      memo: memoOfRefund(paymentId),
    });
    const { from: payer, to: payTo, memo } = paid;
    const txIds = [...new Set([paid.ids.legacy, paid.ids.hf26])];
    const isWhole = amountMils === paid.amountMils;
    const end = { paymentId, payer, payTo, memo, txIds, operation: 0, isWhole };
    return toRefund(await send(signed, end));
  };

  /** Pays a transfer back that is one of several operations of a transaction, unless it has a record. */
  const refundOperation = async (
    name: { txId: string; operation?: number },
    { reason, asked }: { reason: string; asked: Mils | undefined },
  ): Promise<RefundRecord> => {
    const paid = await findPaidOperation(client, { clock, account }, name);
    const paymentId = await readPaymentId(client, paid);
    const present = await book.find(paymentId);
    if (present) return advance(present, "repeat");
    const owed = chooseAmountOf(asked, paid);
    const { from: payer, to: payTo, memo, txId, operation } = paid;
    const isWhole = owed.amount === paid.amount;
    const end = { paymentId, payer, payTo, memo, txIds: [txId], operation, isWhole };
    return payBack(paid, { paymentId, reason, ...owed, memo: memoOfRefund(paymentId) }, end);
  };

  /**
   * Records a signed refund, and only then sends it. The same change ends the payment, unless the refund returns a
   * transfer that buys nothing, so that a process which dies leaves either both or none.
   */
  const send = async (signed: RefundRecord, paid: PaidBack | null): Promise<RefundRecord> => {
    for (let tries = 0; tries < MOST_WRITES; tries++) {
      const end = paid ? await endPayment(store, { caip: caipOf(client.chainId), network }, paid) : undefined;
      const reserved = await book.write(signed, null, end);
      if (reserved) return advance(reserved, "first");
      const winner = await book.find(signed.paymentId);
      if (winner) return advance(winner, "repeat");
    }
    throw inUse();
  };

  /** Records and sends a return that has no record. */
  const sendBack = async (
    sent: MemoTransfer,
    paymentId: string,
    reason: TransferToReturn["cause"],
  ): Promise<RefundRecord> => {
    const { amount, txId } = sent;
    const count = Number(countOf(sent));
    if (count === 0) throw new RefundError("payment_not_found", "The amount of the transfer is unreadable.");
    return payBack(sent, { paymentId, reason, amountMils: toMils(count), amount, memo: memoOfReturn(txId) });
  };

  /** Records and sends what pays a transfer back, unless the chain shows it without a record. */
  const payBack = async (
    sent: MemoTransfer,
    { amount, memo, ...given }: Omit<RefundTerms, "to" | "requestedAt"> & { amount: string; memo: string },
    end: PaidBack | null = null,
  ): Promise<RefundRecord> => {
    const { paymentId } = given;
    const memoOfAll = memoOfReturn(sent.txId);
    const memos = [memoOfAll, memoOfRefund(paymentId)];
    // Returns of the transaction's other transfers have the same memo.
    const siblings = await book.countOf(sent.txId, { to: sent.from, memo: memoOfAll });
    if ((await countSent(client, account, { to: sent.from, memos, sinceMs: sent.timeMs })) > siblings) {
      // Another process may have recorded and sent it meanwhile.
      const recorded = await book.find(paymentId);
      if (recorded) return advance(recorded, "repeat");
      throw new RefundError("already_refunded", "The chain has a refund that this store does not know.");
    }
    const terms = { ...given, to: sent.from, requestedAt: new Date().toISOString() };
    return send(await signRefund(terms, { amount, memo }), end);
  };

  const giveBack = async (transfer: TransferToReturn): Promise<Refund> => {
    await noteInBook(store, { network, account }, transfer);
    const findUnused = async () => {
      const found = await findSentTransfer(client, { clock, account, pollMs }, transfer);
      await assertUnused(store, caipOf(client.chainId), found);
      return found;
    };
    const sent = await findUnused().catch(async (error: unknown) => {
      // A fork may have removed it for good; a payer who presents its claim again notes it again.
      if (error instanceof RefundError && error.code !== "payment_not_final") await owed.forget(transfer);
      throw error;
    });
    const paymentId = await readPaymentId(client, sent);
    const present = await book.find(paymentId);
    const record = present
      ? await advance(present, "repeat")
      : await sendBack(sent, paymentId, transfer.cause);
    // From here on, the record alone continues the refund.
    await owed.strike(sent);
    return toRefund(record);
  };

  /** Continues every pending refund, and only then rejects with the first failure. */
  const recover = async (): Promise<Refund[]> => {
    const refunds: Refund[] = [];
    const failures: unknown[] = [];
    for (const paymentId of await book.listPending())
      try {
        const entry = await book.find(paymentId);
        if (entry) refunds.push(toRefund(await advance(entry, "repeat")));
      } catch (error) {
        failures.push(error);
      }
    for (const transfer of orderReturns(await owed.list()).slice(0, MOST_TRIED)) {
      if (returns.isReached()) break;
      try {
        refunds.push(await giveBack(transfer));
        returns.count();
      } catch (error) {
        // Such a transfer needs no return, or stays in the books until it can be sent.
        if (!(error instanceof RefundError)) failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return refunds;
  };

  return {
    account,
    refund: (...given) => underPublicErrors(refund(...given)),
    giveBack: (transfer) => underPublicErrors(giveBack(transfer)),
    owed: () => underPublicErrors((async () => [...(await owed.list()), ...(await owed.listSmall())])()),
    find: (txId) =>
      underPublicErrors(
        (async () => {
          const entry = await book.find(txId);
          return entry && toRefund(entry.record);
        })(),
      ),
    recover: () => underPublicErrors(recover()),
    async close() {
      if (!options.client) await client.close();
      if (!options.store) await store.close();
    },
  };
}

type RefundTerms = Pick<RefundRecord, "paymentId" | "to" | "amountMils" | "reason" | "requestedAt">;

/** Returns the amount to pay back. @throws RefundError if it is more than what was paid */
function chooseAmount(asked: Mils | undefined, paid: { amountMils: Mils }): Mils {
  const amountMils = asked ?? paid.amountMils;
  if (amountMils > paid.amountMils)
    throw new RefundError("amount_too_high", "The payment was less than this amount.");
  return amountMils;
}

/** Returns the amount of a transfer of either coin to pay back, which is all of it in HIVE. @throws RefundError */
function chooseAmountOf(asked: Mils | undefined, paid: MemoTransfer): { amountMils: Mils; amount: string } {
  const paidMils = parseMils(paid.amount);
  if (paidMils !== null) {
    const amountMils = chooseAmount(asked, { amountMils: paidMils });
    return { amountMils, amount: formatMils(amountMils) };
  }
  if (asked !== undefined)
    throw new RefundError("amount_too_high", "The transfer was of HIVE, which is paid back as a whole.");
  return { amountMils: toMils(Number(countOf(paid))), amount: paid.amount };
}

/** Returns the ids of a signed transfer, of HBD or HIVE. @throws TypeError for an invalid signature */
function readSigned(
  unsigned: UnsignedTransfer,
  { signatures }: Pick<SignedTransaction, "signatures">,
): Pick<RefundRecord, "txId" | "alternateId" | "expirationMs" | "transaction"> {
  const [[, { from, to, amount: text, memo }]] = unsigned.operations;
  const amount = parseAsset(text);
  if (!amount || signatures.length === 0 || !signatures.every(parseSignature))
    throw new TypeError("the refund can't be signed: signature_invalid");
  const expirationMs = Date.parse(`${unsigned.expiration}Z`);
  const transaction: UnsignedTransaction = {
    refBlockNum: unsigned.ref_block_num,
    refBlockPrefix: unsigned.ref_block_prefix,
    expiration: expirationMs / 1000,
    operations: [{ type: "transfer", from, to, amount, memo }],
  };
  return {
    txId: transactionId(packTransaction(transaction, "legacy")),
    alternateId: transactionId(packTransaction(transaction, "hf26")),
    expirationMs,
    transaction: { ...unsigned, signatures },
  };
}

/** Returns whether the account's transfers since the payment pay it back, according to two nodes. */
async function isPaidBack(
  client: HiveClient,
  account: string,
  { ids, from, expirationMs }: SignedTransfer,
): Promise<boolean> {
  const memos = [ids.legacy, ids.hf26].flatMap((id) => [memoOfRefund(id), memoOfReturn(id)]);
  const sinceMs = expirationMs - LONGEST_VALIDITY_MS;
  return (await countSent(client, account, { to: from, memos, sinceMs })) > 0;
}

function toUnsigned(
  operation: UnsignedTransfer["operations"][0][1],
  { headBlock, headBlockId, reachedTimeMs }: ChainStanding,
  lifeMs: number,
): UnsignedTransfer {
  return {
    ref_block_num: headBlock & 0xffff,
    // The second four bytes of the block's id, lowest first.
    ref_block_prefix: Number.parseInt(headBlockId.slice(8, 16).replace(/(..)(..)(..)(..)/, "$4$3$2$1"), 16),
    expiration: new Date(reachedTimeMs + lifeMs).toISOString().slice(0, 19),
    operations: [["transfer", operation]],
    extensions: [],
  };
}

/** Returns a transfer as the tracker follows it, until no fork can undo its block. */
function toTracked({ ids, from, ...transfer }: SignedTransfer): PaymentRecord {
  const { expirationMs, amountMils, transaction } = transfer;
  return {
    ...{ state: "reserved", txId: ids.legacy, alternateId: ids.hf26, payer: from, network: "" },
    ...{ expirationMs, amountMils, transaction, finality: "irreversible", answeredTo: null },
  };
}

function toTrackedRefund({ txId, alternateId, ...record }: RefundRecord): PaymentRecord {
  const { expirationMs, amountMils, transaction } = record;
  const [[, { from }]] = transaction.operations;
  return {
    ...{ state: "reserved", txId, alternateId, payer: from, network: "", answeredTo: null },
    ...{ expirationMs, amountMils, transaction, finality: "irreversible" },
  };
}

function toRefund({ state, paymentId, txId, to, reason, requestedAt, ...record }: RefundRecord): Refund {
  const { transaction, blockNum } = record;
  const [[, { amount }]] = transaction.operations;
  const place = blockNum !== undefined && { blockNum };
  return { state, paymentId, txId, to, amount, reason, requestedAt, ...place };
}

async function underPublicErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toFacilitatorError(error);
  }
}
