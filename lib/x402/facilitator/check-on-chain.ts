import { forgetOldest } from "../../async/cache.ts";
import { MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID } from "../../chains.ts";
import { type ChainAccount, readAccounts, readResourceCredits } from "../../hive/accounts.ts";
import { type Authority, isSatisfied } from "../../hive/authority.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import type { HiveClient } from "../../hive/client.ts";
import { type Packing, signingDigest } from "../../hive/packing.ts";
import { isChainCanonical } from "../../hive/transaction.ts";
import { findTransaction } from "../../hive/transaction-status.ts";
import type { Mils } from "../../mils.ts";
import type { SignedTransfer } from "../transfer.ts";
import {
  type ChainClock,
  type ChainStanding,
  type CheckTapos,
  CLOCK_AGE_MS,
  createTaposCheck,
} from "./chain-clock.ts";
import { startDeadline } from "./deadline.ts";
import { createKeyRecovery, type RecoverKey } from "./key-recovery.ts";
import type { ParsedPayment, Refusal } from "./read-request.ts";
import type { Reason } from "./reasons.ts";

/** A node must receive a transaction two blocks before it expires. */
const MIN_LIFE_MS = 6000;
const MAX_LIFE_MS = 600_000;

/** The ids of a payment: the one under which the chain will list it, and that of its other packing. */
type Ids = { txId: string; alternateId: string };
/** The identity of a payment on the chain, which can be only in a block after `refBlock`. */
export type Identity = Ids & { refBlock: number };

/** Checks everything that the chain itself will check when the payment is broadcast. */
export type CheckOnChain = (payment: ParsedPayment, signal?: AbortSignal) => Promise<Identity | Refusal>;

/**
 * Creates the check. `isOneEnough` selects the payments that proceed on one node's answer if no other node
 * answers.
 */
export function createChainCheck(options: {
  client: HiveClient;
  clock: ChainClock;
  isOneEnough: (amountMils: Mils) => boolean;
}): CheckOnChain {
  const { client, clock, isOneEnough } = options;
  const checkTapos: CheckTapos = createTaposCheck(client, clock);
  const isExhausted = createResourceCheck(client);
  const recover = createKeyRecovery();

  return async (payment, signal) => {
    const { transfer } = payment;
    const refuse = (reason: Reason): Refusal => ({ reason, payer: transfer.from });
    const standing = await clock(CLOCK_AGE_MS);
    const late = findFaultInTime(payment, standing);
    if (late) return refuse(late);

    const keysFor = createKeyReading(transfer, recover);
    const [refBlock, [judged], isOutOfCredits] = await Promise.all([
      checkTapos(transfer, signal),
      client.agree((node) => judgePayer(node, client.chainId, { transfer, keysFor }), {
        isOneEnough: isOneEnough(transfer.amountMils),
        signal,
      }),
      isExhausted(transfer.from, standing.headTimeMs),
    ]);
    // Checked first, because a wallet on the wrong chain also takes its reference block from there.
    if ("reason" in judged && judged.reason === "wrong_chain") return refuse(judged.reason);
    if (refBlock === null) return refuse("tapos_mismatch");
    if ("reason" in judged) return refuse(judged.reason);
    if (isOutOfCredits && !(await isKnownToChain(client, transfer, judged.txId)))
      return refuse("insufficient_funds");
    return { ...judged, refBlock };
  };
}

/**
 * Returns whether the chain already has the payment, in which case the balance lacks its amount because it
 * was paid.
 */
async function isKnownToChain(chain: ChainReader, transfer: SignedTransfer, id: string): Promise<boolean> {
  const status = await findTransaction(chain, { id, expirationMs: transfer.expirationMs });
  return status.kind === "included" || status.kind === "mempool";
}

/** A transfer, and the keys behind its signatures. */
type Signed = { transfer: SignedTransfer; keysFor: KeysFor };

/** Checks the payer at one node: first the signatures, then the balance. */
async function judgePayer(
  node: ChainReader,
  chainId: string,
  { transfer, keysFor }: Signed,
): Promise<Ids | { reason: Reason }> {
  const accounts = await readAccounts(node, [transfer.from, transfer.to]);
  const payer = accounts.get(transfer.from);
  if (!payer || !accounts.has(transfer.to)) return { reason: "account_not_found" };
  const packing = await findPacking(node, chainId, keysFor, payer);
  if (packing !== "legacy" && packing !== "hf26") return { reason: packing };
  const ids = {
    txId: transfer.ids[packing],
    alternateId: transfer.ids[packing === "legacy" ? "hf26" : "legacy"],
  };
  const isCovered = payer.hbdMils >= transfer.amountMils || (await isKnownToChain(node, transfer, ids.txId));
  return isCovered ? ids : { reason: "insufficient_funds" };
}

/**
 * Returns what is wrong with a payment's time, or null. It counts as expired only by the clocks of both
 * nodes, and as too long-lived only by the clock of the node that is ahead.
 */
function findFaultInTime(
  payment: ParsedPayment,
  { headTimeMs, reachedTimeMs }: ChainStanding,
): Reason | null {
  const { expirationMs } = payment.transfer;
  // The payer's seconds count from a head that may be two blocks ahead of ours.
  const longestMs = Math.min(MAX_LIFE_MS, payment.maxTimeoutMs + MIN_LIFE_MS);
  const latestMs = Math.min(payment.validBeforeMs, headTimeMs + longestMs);
  if (payment.validBeforeMs <= reachedTimeMs) return "requirements_expired";
  if (expirationMs <= reachedTimeMs + MIN_LIFE_MS) return "transaction_expired";
  return expirationMs > latestMs ? "expiration_too_far" : null;
}

/**
 * Less than any transfer costs. Only the chain knows the current cost, so it decides about accounts with
 * more.
 */
const LEAST_CREDITS = 1_000_000;
const MAX_REMEMBERED = 1000;
const REMEMBERED_MS = 3000;
const TIMEOUT_MS = 1000;
const SILENCE_MS = 60_000;

/** Returns whether an account certainly has too few resource credits for a transfer. Never rejects. */
type CheckResources = (account: string, headTimeMs: number) => Promise<boolean>;

/**
 * Creates the check, which is advisory: after a failed read, no node is asked for a minute, and no payment is
 * refused meanwhile.
 */
function createResourceCheck(client: HiveClient): CheckResources {
  const answers = new Map<string, { isExhausted: Promise<boolean>; askedAtMs: number }>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;

  const ask = async (account: string, headTimeMs: number): Promise<boolean> => {
    const { signal, end } = startDeadline(TIMEOUT_MS);
    const isTooFew = async (chain: ChainReader) => {
      const credits = await readResourceCredits(chain, account, headTimeMs, { signal });
      return credits !== null && credits < LEAST_CREDITS;
    };
    try {
      // Two nodes must agree on a refusal, so that a single node cannot keep anyone from paying.
      const [isExhausted] = await client.agree(isTooFew, { needsSecond: (isSo) => isSo, signal });
      return isExhausted;
    } catch {
      // The node does not serve the API, or did not answer in time.
      silentUntilMs = performance.now() + SILENCE_MS;
      return false;
    } finally {
      end();
    }
  };

  return async (account, headTimeMs) => {
    const known = answers.get(account);
    if (known && performance.now() - known.askedAtMs < REMEMBERED_MS) return known.isExhausted;
    if (performance.now() < silentUntilMs) return false;
    answers.delete(account);
    const isExhausted = ask(account, headTimeMs);
    answers.set(account, { isExhausted, askedAtMs: performance.now() });
    forgetOldest(answers, MAX_REMEMBERED);
    return isExhausted;
  };
}

const MAX_LOADED = 200;

type AuthorityFault = "signature_invalid" | "authority_not_satisfied" | "wrong_chain";

/** The chains for which a misconfigured wallet most likely signs. */
const knownChains = [MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID];

/**
 * Finds the packing under which the signatures satisfy the payer's active authority, by the chain's rules:
 * the owner key does not replace the active one, other accounts count to depth 2, unneeded keys are allowed,
 * and a key that signed twice is not. Returns `wrong_chain` for signatures that would be valid on another
 * known chain.
 */
async function findPacking(
  node: ChainReader,
  chainId: string,
  keysFor: KeysFor,
  payer: ChainAccount,
): Promise<Packing | AuthorityFault> {
  const { active } = payer;
  // Only an authority that needs no key can be satisfied under both packings, and the chain then uses the
  // newer one.
  const isOpen = active.weight_threshold === 0 || active.account_auths.length > 0;
  const packings: Packing[] = isOpen ? ["hf26", "legacy"] : ["legacy", "hf26"];
  const load = createLoader(node, active);
  const findOn = async (id: string): Promise<Packing | AuthorityFault> => {
    for (const packing of packings) {
      const keys = keysFor(packing, id);
      if (!keys) return "signature_invalid";
      if (await isSatisfied(active, keys, load)) return packing;
    }
    return "authority_not_satisfied";
  };
  const found = await findOn(chainId);
  if (packings.some((packing) => packing === found)) return found;
  for (const id of knownChains) {
    if (id === chainId) continue;
    const there = await findOn(id);
    if (packings.some((packing) => packing === there)) return "wrong_chain";
  }
  return found;
}

/** Returns the keys behind a transfer's signatures under a packing on a chain, as `recoverKeys` does. */
type KeysFor = (packing: Packing, chainId: string) => Uint8Array[] | null;

/** Creates the reading of a transfer's keys, which hashes once for all nodes that judge the transfer. */
function createKeyReading({ packed, signatures }: SignedTransfer, recover: RecoverKey): KeysFor {
  const read = new Map<string, Uint8Array[] | null>();
  return (packing, chainId) => {
    const id = packing + chainId;
    const present = read.get(id);
    if (present !== undefined) return present;
    const keys = recoverKeys(signingDigest(packed[packing], chainId), signatures, recover);
    read.set(id, keys);
    return keys;
  };
}

/**
 * Recovers the keys behind the signatures; `null` if the chain would refuse a signature's form, or if the
 * same key signed twice.
 */
function recoverKeys(
  digest: Uint8Array,
  signatures: readonly Uint8Array[],
  recover: RecoverKey,
): Uint8Array[] | null {
  const keys = signatures.flatMap((signature) => {
    const key = isChainCanonical(signature) ? recover(digest, signature) : null;
    return key ? [key] : [];
  });
  const distinct = new Set(keys.map((key) => Buffer.from(key).toString("hex")));
  return distinct.size === signatures.length ? keys : null;
}

/** Loads all accounts that an authority refers to in up to two reads, however many it names. */
function createLoader(chain: ChainReader, root: Authority) {
  let loading: Promise<Map<string, ChainAccount>> | null = null;
  const namesIn = (authorities: Iterable<Authority>) => [
    ...new Set([...authorities].flatMap(({ account_auths }) => account_auths.map(([name]) => name))),
  ];
  const loadAll = async () => {
    const first = await readAccounts(chain, namesIn([root]).slice(0, MAX_LOADED));
    const further = namesIn([...first.values()].map(({ active }) => active)).filter(
      (name) => !first.has(name),
    );
    const second = await readAccounts(chain, further.slice(0, MAX_LOADED));
    return new Map([...second, ...first]);
  };
  return async (name: string): Promise<Authority | null> => {
    loading ??= loadAll();
    return (await loading).get(name)?.active ?? null;
  };
}
