import { readAccounts, readResourceCredits } from "../../hive/accounts.ts";
import type { ChainReader } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";
import { findTransaction } from "../../hive/transaction-status.ts";
import type { SignedTransfer } from "../transfer.ts";
import { type ChainClock, type ChainStanding, CLOCK_AGE_MS } from "./chain-clock.ts";
import { findPacking } from "./check-authority.ts";
import { startDeadline } from "./deadline.ts";
import type { Payment, Refusal } from "./read-request.ts";
import type { Reason } from "./reasons.ts";
import { type CheckTapos, createTaposCheck } from "./tapos.ts";

/** A node needs the transaction before its end: two blocks. */
const MIN_LIFE_MS = 6000;
const MAX_LIFE_MS = 600_000;

/** The ids of a payment: the one that the chain will know it by, and that of its other packing. */
type Ids = { txId: string; twinId: string };
/** What the chain knows a payment by; it can only be in a block after `refBlock`. */
export type Identity = Ids & { refBlock: number };

/** Asks the chain everything that it will check itself when the payment is broadcast. */
export type CheckOnChain = (payment: Payment, signal?: AbortSignal) => Promise<Identity | Refusal>;

/** Creates the check; `isOneEnough` says whose payments go on by one node's word when no second one answers. */
export function createChainCheck(options: {
  client: HiveClient;
  clock: ChainClock;
  isOneEnough: (amountMillis: number) => boolean;
  /** A monotonic clock in ms. */
  now?: (() => number) | undefined;
}): CheckOnChain {
  const { client, clock, isOneEnough } = options;
  const checkTapos: CheckTapos = createTaposCheck(client, clock);
  const isExhausted = createResourceCheck(client, options.now);

  return async (payment, signal) => {
    const { transfer } = payment;
    const refuse = (reason: Reason): Refusal => ({ reason, payer: transfer.from });
    const standing = await clock(CLOCK_AGE_MS);
    const late = findFaultInTime(payment, standing);
    if (late) return refuse(late);

    const [refBlock, [judged], isOutOfCredits] = await Promise.all([
      checkTapos(transfer, signal),
      client.agree((node) => judgePayer(node, client.chainId, transfer), {
        isOneEnough: isOneEnough(transfer.amountMillis),
        signal,
      }),
      isExhausted(transfer.from, standing.headTimeMs),
    ]);
    // First of all: a wallet on the wrong chain may have its reference block from there, too.
    if ("reason" in judged && judged.reason === "wrong_chain") return refuse(judged.reason);
    if (refBlock === null) return refuse("tapos_mismatch");
    if ("reason" in judged) return refuse(judged.reason);
    if (isOutOfCredits && !(await isKnownToChain(client, transfer, judged.txId)))
      return refuse("insufficient_funds");
    return { ...judged, refBlock };
  };
}

/** Somebody else may have broadcast it already: then its amount is gone from the balance because it was paid. */
async function isKnownToChain(chain: ChainReader, transfer: SignedTransfer, id: string): Promise<boolean> {
  const status = await findTransaction(chain, { id, expirationMs: transfer.expirationMs });
  return status.kind === "included" || status.kind === "mempool";
}

/** One node's judgement on who pays: whether the signatures do and the balance, in that order. */
async function judgePayer(
  node: ChainReader,
  chainId: string,
  transfer: SignedTransfer,
): Promise<Ids | { reason: Reason }> {
  const accounts = await readAccounts(node, [transfer.from, transfer.to]);
  const payer = accounts.get(transfer.from);
  if (!payer || !accounts.has(transfer.to)) return { reason: "account_not_found" };
  const packing = await findPacking(node, chainId, transfer, payer);
  if (packing !== "legacy" && packing !== "hf26") return { reason: packing };
  const ids = { txId: transfer.ids[packing], twinId: transfer.ids[packing === "legacy" ? "hf26" : "legacy"] };
  const isCovered =
    payer.hbdMillis >= transfer.amountMillis || (await isKnownToChain(node, transfer, ids.txId));
  return isCovered ? ids : { reason: "insufficient_funds" };
}

/** Over is only what is over for both nodes; too far is what is too far for the one that is ahead. */
function findFaultInTime(payment: Payment, { headTimeMs, reachedTimeMs }: ChainStanding): Reason | null {
  const { expirationMs } = payment.transfer;
  // The payer counted their seconds from a head that may be two blocks ahead of ours.
  const longestMs = Math.min(MAX_LIFE_MS, payment.maxTimeoutMs + MIN_LIFE_MS);
  const latestMs = Math.min(payment.validBeforeMs, headTimeMs + longestMs);
  if (payment.validBeforeMs <= reachedTimeMs) return "requirements_expired";
  if (expirationMs <= reachedTimeMs + MIN_LIFE_MS) return "transaction_expired";
  return expirationMs > latestMs ? "expiration_too_far" : null;
}

/** Less than any transfer costs. What one costs just now only the chain knows, so it decides about more than this. */
const LEAST_CREDITS = 1_000_000;
const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 3000;
const TIMEOUT_MS = 1000;
const SILENCE_MS = 60_000;

/** Returns whether an account certainly has too few resource credits for a transfer; never rejects. */
type CheckResources = (account: string, headTimeMs: number) => Promise<boolean>;

/** Makes the check; `now` is a monotonic clock in ms. It is advice: nodes that do not tell are not asked for a minute, and then nobody is refused. */
function createResourceCheck(
  client: HiveClient,
  now: () => number = () => performance.now(),
): CheckResources {
  const answers = new Map<string, { isExhausted: Promise<boolean>; askedAtMs: number }>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;

  const ask = async (account: string, headTimeMs: number): Promise<boolean> => {
    const { signal, end } = startDeadline(TIMEOUT_MS);
    const isTooFew = async (chain: ChainReader) => {
      const credits = await readResourceCredits(chain, account, headTimeMs, { signal });
      return credits !== null && credits < LEAST_CREDITS;
    };
    try {
      // One node alone keeps nobody from paying.
      const [isExhausted] = await client.agree(isTooFew, { needsSecond: (isSo) => isSo, signal });
      return isExhausted;
    } catch {
      // Not served, or not answered in time.
      silentUntilMs = now() + SILENCE_MS;
      return false;
    } finally {
      end();
    }
  };

  return async (account, headTimeMs) => {
    const known = answers.get(account);
    if (known && now() - known.askedAtMs < REMEMBERED_MS) return known.isExhausted;
    if (now() < silentUntilMs) return false;
    answers.delete(account);
    const oldest = answers.size >= MAX_REMEMBERED ? answers.keys().next().value : undefined;
    if (oldest !== undefined) answers.delete(oldest);
    const isExhausted = ask(account, headTimeMs);
    answers.set(account, { isExhausted, askedAtMs: now() });
    return isExhausted;
  };
}
