import { MAINNET_CHAIN_ID, MAINNET_NODES } from "../../chains.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { createHiveClient, type HiveClient } from "../../hive/client.ts";
import { readHbdTransfers } from "../../hive/transfer-history.ts";
import { formatMils, parseMils } from "../../mils.ts";
import type { Store } from "../../store/store.ts";
import { assertKnown } from "../check-options.ts";
import type { UnsignedTransfer } from "../client/build-transfer.ts";
import { createSigner, type SignTransaction } from "../client/signer.ts";
import { type ChainStanding, createChainClock } from "../facilitator/chain-clock.ts";
import { toFacilitatorError } from "../facilitator/facilitator-error.ts";
import type { PaymentRecord } from "../facilitator/payment-record.ts";
import { openPaymentStore } from "../facilitator/payment-store.ts";
import { createTracker } from "../facilitator/track.ts";
import { nonceOf } from "../header.ts";
import { readTransfer, type SignedTransfer } from "../transfer.ts";
import { readPaidTransfer } from "./read-paid-transfer.ts";
import { RefundError } from "./refund-error.ts";
import { createRefundBook, type RefundEntry, type RefundRecord } from "./refund-record.ts";

const MAX_REASON = 200;
/** The number of the account's last transfers to search for a refund that the store has lost. */
const SEARCHED_TRANSFERS = 1000;

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
  /**
   * Pays a payment back to its payer, all of it unless `amount` is less. A payment is refunded once: a repeat
   * returns the same refund, and sends its transfer again while no block contains it.
   * @throws RefundError, and FacilitatorError `chain_unavailable` or `degraded`, after which it is safe to
   * repeat the call
   */
  refund(txId: string, reason: string, options?: { amount?: string }): Promise<Refund>;
  /** Returns the refund of a payment, or `null`. */
  find(txId: string): Promise<Refund | null>;
  /**
   * Continues every pending refund, and returns these refunds as they are now. Call this when the server
   * starts, and regularly while any refund is pending.
   * @throws the first failure, after it has tried all of them
   */
  recover(): Promise<Refund[]>;
  close(): Promise<void>;
};

/** Creates the refunds of an account, at a pace that simulations choose. @throws TypeError for invalid options */
export function createPacedRefunds(options: RefundsOptions, { waitMs, pollMs }: RefundPace): Refunds {
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
  const isOneEnough = () => false;
  const clock = createChainClock(client, { isOneEnough: false });
  const tracker = createTracker({ client, clock, isOneEnough, waitMs, pollMs, onResend: () => {} });

  /** Returns the transfer that paid this account, in a block that no fork can undo. @throws RefundError */
  const findPayment = async (txId: string): Promise<SignedTransfer> => {
    const paid = /^[0-9a-f]{40}$/.test(txId) ? await readPaidTransfer(client, txId) : null;
    if (!paid) throw new RefundError("payment_not_found", "The chain has no HBD transfer with this id.");
    if (paid.to !== account || paid.from === account || nonceOf(paid.memo) === undefined)
      throw new RefundError("not_paid_to_account", `The transfer is not a payment to ${account}.`);
    const place = await tracker.findStatus(toTracked(paid));
    if (place.kind !== "included")
      throw new RefundError(
        "payment_not_final",
        "Two nodes do not have the payment in a block that no fork can undo yet; try again in a minute.",
      );
    return paid;
  };

  const signRefund = async (
    terms: Pick<RefundRecord, "paymentId" | "to" | "amountMils" | "reason" | "requestedAt">,
  ): Promise<RefundRecord> => {
    const head = await clock(0);
    const amount = formatMils(terms.amountMils);
    const operation = { from: account, to: terms.to, amount, memo: memoOfRefund(terms.paymentId) };
    const signed = await sign(toUnsigned(operation, head, sign.lifeMs));
    const transfer = readTransfer(signed);
    if (typeof transfer === "string") throw new TypeError(`the refund can't be signed: ${transfer}`);
    const { ids, expirationMs, transaction } = transfer;
    return {
      ...terms,
      ...{ state: "pending", txId: ids.legacy, alternateId: ids.hf26, expirationMs, transaction },
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
    const again = await book.write(await signRefund(record), entry);
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
    const paid = await findPayment(txId);
    const paymentId = paid.ids.legacy;
    const present = paymentId === txId ? null : await book.find(paymentId);
    if (present) return toRefund(await advance(present, "repeat"));
    const amountMils = asked ?? paid.amountMils;
    if (amountMils > paid.amountMils)
      throw new RefundError("amount_too_high", "The payment was less than this amount.");
    if (await isPaidBack(client, account, paid)) {
      // Another process may have recorded and paid it meanwhile.
      const recorded = await book.find(paymentId);
      if (recorded) return toRefund(await advance(recorded, "repeat"));
      throw new RefundError("already_refunded", "The chain has a refund that this store does not know.");
    }
    const requestedAt = new Date().toISOString();
    const terms = { paymentId, to: paid.from, amountMils, reason, requestedAt };
    const reserved = await book.write(await signRefund(terms), null);
    if (reserved) return toRefund(await advance(reserved, "first"));
    const winner = await book.find(paymentId);
    if (!winner) throw new RefundError("already_refunded", "Another process has refunded this payment.");
    return toRefund(await advance(winner, "repeat"));
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
    if (failures.length > 0) throw failures[0];
    return refunds;
  };

  return {
    refund: (...given) => underPublicErrors(refund(...given)),
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

const memoOfRefund = (paymentId: string) => `x402:refund:${paymentId}`;

/** Returns whether the account's last transfers pay this payment back, according to two nodes. */
async function isPaidBack(client: HiveClient, account: string, { ids }: SignedTransfer): Promise<boolean> {
  const memos = new Set([memoOfRefund(ids.legacy), memoOfRefund(ids.hf26)]);
  const [isFound] = await client.agree(async (node) => {
    const sent = await readHbdTransfers(node, account, SEARCHED_TRANSFERS);
    return sent.some(({ from, memo }) => from === account && memos.has(memo));
  });
  return isFound;
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
  const { amountMils, blockNum } = record;
  const amount = formatMils(amountMils);
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
