import { type Packing, signingDigest, transactionId } from "../../../lib/hive/packing.ts";
import { assertion, ChainFault, expirationFault, notEnoughResources, taposFault } from "../errors.ts";
import { formatTime } from "../parse/fields.ts";
import type { AcceptedTransaction, Account, SignedTransaction, State, Symbols } from "../types.ts";
import { applyOperation, packFor } from "./apply.ts";
import { checkAuthorities, recoverKeys, requiredAuthorities, validateTransaction } from "./validate.ts";

const MAX_AHEAD_SECONDS = 86_400;
const MAX_BYTES = 65_536;
const bothFailed = "Transaction failed to validate using both new (hf26) and legacy serialization";
const missingAuthorityNames = new Set([
  "tx_missing_active_auth",
  "tx_missing_owner_auth",
  "tx_missing_posting_auth",
]);

/** The chain data needed for the examination. */
export type Surroundings = {
  chainId: string;
  symbols: Symbols;
  /** Head block time, in seconds. */
  now: number;
  state: State;
  isKnown(id: string): boolean;
  /** Returns bytes 4..8 of the id of the latest block whose number ends in these 16 bits, or 0. */
  blockPrefix(refBlockNum: number): number;
};

/**
 * Checks a new transaction in the order of the chain's nodes: duplicate, expiration, reference block,
 * contents, signatures. Balances and resources follow in `applyTransaction`.
 * @throws ChainFault with the chain's refusal.
 */
export async function examineTransaction(
  transaction: SignedTransaction,
  around: Surroundings,
): Promise<AcceptedTransaction> {
  const packed = {
    hf26: packFor(around.symbols, transaction, "hf26"),
    legacy: packFor(around.symbols, transaction, "legacy"),
  };
  const ids = { hf26: transactionId(packed.hf26), legacy: transactionId(packed.legacy) };
  if (packed.legacy.length > MAX_BYTES) throw assertion("trx_size <= HIVE_MAX_TRANSACTION_SIZE");
  const check = (packing: Packing, suffix?: string) => {
    const keys = recoverKeys(signingDigest(packed[packing], around.chainId), transaction.signatures);
    return checkAuthorities(transaction, keys, around.state, suffix);
  };

  if (around.isKnown(ids.hf26)) throw duplicate(ids.hf26);
  // Content that was sent in the old serialization may be sent again in the new one, but not with another
  // signature.
  if (around.isKnown(ids.legacy)) await check("hf26").catch(() => Promise.reject(duplicate(ids.legacy)));
  checkExpiration(transaction.expiration, around.now);
  checkReference(transaction, around);
  validateTransaction(transaction);
  const packing = await check("hf26").then(
    () => "hf26" as const,
    async (error: unknown) => {
      if (!(error instanceof ChainFault) || !missingAuthorityNames.has(error.name)) throw error;
      await check("legacy", bothFailed);
      return "legacy" as const;
    },
  );
  return { id: ids[packing], packing, transaction, resourceCost: resourceCost(packed[packing].length) };
}

/** Checks only the signatures, in one serialization, as `verify_authority` does. */
export async function verifyAuthority(
  transaction: SignedTransaction,
  packing: Packing,
  { chainId, symbols, state }: Pick<Surroundings, "chainId" | "symbols" | "state">,
): Promise<void> {
  const keys = recoverKeys(
    signingDigest(packFor(symbols, transaction, packing), chainId),
    transaction.signatures,
  );
  await checkAuthorities(transaction, keys, state);
}

/** Returns the state after an examined transaction at chain time `now`, and leaves `state` unchanged. */
export function applyTransaction(
  state: State,
  { transaction, resourceCost: cost }: AcceptedTransaction,
  now: number,
): State {
  const draft: State = { accounts: new Map(state.accounts), communities: new Map(state.communities) };
  for (const operation of transaction.operations) applyOperation(draft, operation, now);
  const [payer] = requiredAuthorities(transaction);
  if (payer) chargeResources(draft, payer.account, cost, now);
  return draft;
}

function duplicate(id: string): ChainFault {
  return assertion("!is_known_transaction( trx_id )", "Duplicate transaction check failed", { trx_id: id });
}

function checkExpiration(expiration: number, now: number): void {
  if (expiration > now + MAX_AHEAD_SECONDS)
    throw expirationFault("trx.expiration <= now + HIVE_MAX_TIME_UNTIL_SIGNATURE_EXPIRATION", {
      "trx.expiration": formatTime(expiration),
      now: formatTime(now),
      max_til_exp: MAX_AHEAD_SECONDS,
    });
  if (expiration <= now)
    throw expirationFault("now < full_transaction->get_runtime_expiration()", {
      now: formatTime(now),
      "full_transaction->get_runtime_expiration()": formatTime(expiration),
    });
}

function checkReference({ refBlockNum, refBlockPrefix }: SignedTransaction, around: Surroundings): void {
  const prefix = around.blockPrefix(refBlockNum);
  if (prefix !== refBlockPrefix)
    throw taposFault({ "trx.ref_block_prefix": refBlockPrefix, tapos_block_summary: prefix });
}

const FULL_AFTER_SECONDS = 432_000;
const COST_OF_A_TRANSACTION = 4_000_000;
const COST_OF_A_BYTE = 2_000;

/** Returns the resource credits that a transaction of this size costs. */
function resourceCost(bytes: number): number {
  return COST_OF_A_TRANSACTION + bytes * COST_OF_A_BYTE;
}

/** Returns the credits of an account at chain time `now`. They recover fully within five days. */
export function resourcesAt({ resources }: Account, now: number): number {
  const grown = Math.floor((resources.max * Math.max(0, now - resources.updated)) / FULL_AFTER_SECONDS);
  return Math.min(resources.max, resources.current + grown);
}

/** Charges the cost of a transaction to its payer, in the caller's draft. */
function chargeResources(state: State, payer: string, cost: number, now: number): void {
  const account = state.accounts.get(payer);
  if (!account) return;
  const current = resourcesAt(account, now);
  if (current < cost) throw notEnoughResources(payer, current, cost);
  state.accounts.set(payer, {
    ...account,
    resources: { ...account.resources, current: current - cost, updated: now },
  });
}
