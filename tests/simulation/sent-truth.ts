import { parseMils } from "../../lib/mils.ts";
import type { SignedTransfer } from "../../lib/x402/transfer.ts";
import { type Attempt, isLostOnItsWay, type LedgerOfTruth } from "./ledger-of-truth.ts";
import type { Question } from "./network.ts";
import { type Block, findTransfer, isFinal, type SimulatedChain } from "./simulated-chain.ts";
import { identify } from "./simulated-node.ts";
import type { Stage } from "./simulated-process.ts";
import type { StoreServer } from "./simulated-store.ts";

const RETURN = /^x402:return:([0-9a-f]{40})$/;
const OWED = /^x402:(?:to-return|to-return-small|returned):[^:]+:[^:]+:[^:]+:(?:size-\d:)?([0-9a-f]{40}):0$/;
/** Less than this stays in the books until the seller decides. */
const DUST_MILS = 10;
/** Time after a fork within which callers may still get answers from the undone block. */
const STALE_MS = 30_000;
/** Number of times that content may break off without ending its payment. */
const BREAKS_MOST = 3;

/** A claim that a buyer was offered. */
export type SentClaim = { claim: string; memo: string; url: string; priceMils: number };

/** The true history of a transfer that a wallet sent with the memo of a claim. */
export type SentTruth = {
  transfer: SignedTransfer;
  claim: SentClaim;
  /** The callers that got a success. */
  successes: Set<string>;
  deliveries: number;
  deliveredAt: number | null;
  attempts: Attempt[];
  isOwed: boolean;
};

/** The invariants of sent transfers. Each method ends the run if the event must not have happened. */
export type SentLedger = Pick<LedgerOfTruth, "succeeded" | "handled" | "delivered"> & {
  sent(transfer: SignedTransfer, claim: SentClaim): void;
  has(txId: string): boolean;
  /** Reports a value that a process stored. */
  stored(value: string, key: string): void;
  /** Reports a call of a seller's process to another machine, before it leaves the process. */
  asked(question: Question): void;
  isDelivered(claim: SentClaim): boolean;
  /** Returns whether nothing of what was sent for a claim is left to be delivered, noted or sent back. */
  isSettled(claim: SentClaim, options: { hasReturns: boolean }): boolean;
  /** Returns what is left of it, in words. */
  describeRest(claim: SentClaim): string;
  /** Checks at the end that nothing was sent back twice, and nothing that has counted. */
  check(): void;
};

/** Creates the ledger of a run's sent transfers, for which `seller` is paid. */
export function createSentLedger(
  { violate, note, scheduler }: Stage,
  chain: SimulatedChain,
  { claims, seller }: { claims: Pick<StoreServer, "entries" | "failedAt">; seller: string },
): SentLedger {
  const truths = new Map<string, SentTruth>();
  /** The ids of returns that were recorded, and those that were sent, by the returned transfer. */
  const recorded = new Set<string>();
  const returns = new Map<string, Set<string>>();
  const nameOf = (txId: string) => `transfer ${txId.slice(0, 8)}`;
  const listOf = ({ memo }: SentClaim) => [...truths.values()].filter((truth) => truth.claim.memo === memo);
  const isExact = ({ transfer, claim }: SentTruth) => transfer.amountMils === claim.priceMils;

  const wasIncluded = (txId: string, blockNum: number | undefined): boolean => {
    for (let lagMs = 0; lagMs <= STALE_MS; lagMs += 1000)
      if (findTransfer(chain.view(lagMs).head, txId)?.block.num === blockNum) return true;
    return false;
  };

  const checkReturn = (transaction: unknown) => {
    const found = identify(transaction);
    const txId = RETURN.exec(found?.transfer.memo ?? "")?.[1];
    if (!found || txId === undefined) return;
    const { id, transfer } = found;
    const truth = truths.get(txId);
    if (!truth) return violate(`a return of a transfer that nobody sent: ${transfer.memo}`);
    const name = nameOf(txId);
    note(`the return of ${name} is sent: ${id.slice(0, 8)}`);
    if (!recorded.has(id)) violate(`${name}: its return is sent before it is recorded`);
    if (transfer.to !== truth.transfer.from) violate(`${name}: it is returned to ${transfer.to}`);
    if (transfer.amountMils !== truth.transfer.amountMils) violate(`${name}: another amount is returned`);
    if (!isFinal(chain.view(0), txId)) violate(`${name}: returned, and a fork can undo it`);
    if (truth.successes.size > 0) violate(`${name}: counted and returned`);
    returns.set(txId, (returns.get(txId) ?? new Set()).add(id));
  };

  const countReturns = (txId: string): number => {
    let count = 0;
    for (let block: Block | null = chain.view(0).head; block; block = block.parent)
      for (const { transfer } of block.transfers)
        if (transfer.from === seller && RETURN.exec(transfer.memo)?.[1] === txId) count++;
    return count;
  };

  const restOf = (truth: SentTruth, hasReturns: boolean): string | null => {
    const { transfer, claim } = truth;
    const txId = transfer.ids.legacy;
    if (!isFinal(chain.view(0), txId)) return null;
    const all = listOf(claim);
    const isCounted = truth.successes.size > 0;
    if (isCounted) {
      const isOver = truth.deliveries > 0 || isLostOnItsWay(truth);
      return isOver ? null : `${nameOf(txId)}: counted, and can't be had`;
    }
    const isNeeded = isExact(truth) && !all.some(({ successes }) => successes.size > 0);
    if (isNeeded) return `${nameOf(txId)}: paid exactly, and can't be had`;
    if (!truth.isOwed) return `${nameOf(txId)}: it buys nothing, and is not owed back`;
    if (!hasReturns || transfer.amountMils < DUST_MILS) return null;
    return countReturns(txId) > 0 ? null : `${nameOf(txId)}: owed back, and not sent back`;
  };

  return {
    sent(transfer, claim) {
      const txId = transfer.ids.legacy;
      note(`${nameOf(txId)} of ${transfer.from} pays ${transfer.amountMils} of ${claim.priceMils}`);
      truths.set(txId, {
        ...{ transfer, claim, successes: new Set(), deliveries: 0, deliveredAt: null, attempts: [] },
        isOwed: false,
      });
    },
    has: (txId) => truths.has(txId),
    succeeded({ txId, blockNum, mark, isFinalWanted }) {
      const truth = truths.get(txId);
      if (!truth || truth.successes.has(mark)) return;
      truth.successes.add(mark);
      const name = nameOf(txId);
      if (!isExact(truth)) violate(`${name}: counted, and is not of the price`);
      if (truth.successes.size > 1) violate(`${name}: success for two callers`);
      if (listOf(truth.claim).filter(({ successes }) => successes.size > 0).length > 1)
        violate(`${name}: a second transfer counts for one claim`);
      if (truth.isOwed) violate(`${name}: counted and owed back`);
      if (!wasIncluded(txId, blockNum)) violate(`${name}: success, and in no block ${blockNum}`);
      if (isFinalWanted && !isFinal(chain.view(0), txId)) violate(`${name}: success, and a fork can undo it`);
    },
    handled(txId, process) {
      const attempt: Attempt = { process, life: process.life, end: "running", hasWorked: false };
      const truth = truths.get(txId);
      if (truth?.successes.size === 0) violate(`${nameOf(txId)}: the handler ran without a success`);
      truth?.attempts.push(attempt);
      return attempt;
    },
    delivered(txId) {
      const truth = truths.get(txId);
      if (!truth) return;
      truth.deliveries++;
      truth.deliveredAt ??= scheduler.now();
      note(`${nameOf(txId)} has bought its content`);
      const { memo } = truth.claim;
      if (!/"phase":"deliver(?:ing|ed)"/.test(claims.entries.get(`x402:claim:${memo}`)?.value ?? ""))
        violate(`${nameOf(txId)}: delivered, and not written down`);
      const mayBeForgotten =
        claims.failedAt >= truth.deliveredAt ||
        truth.attempts.some(({ process, life }) => process.life !== life);
      if (truth.deliveries > (mayBeForgotten ? 1 + BREAKS_MOST : 1))
        violate(`${nameOf(txId)}: delivered twice`);
    },
    stored(value, key) {
      const id = /"txId":"([0-9a-f]{40})"/.exec(value)?.[1];
      if (id && key.startsWith("x402:refund:")) recorded.add(id);
      const truth = truths.get(OWED.exec(key)?.[1] ?? "");
      if (!truth) return;
      truth.isOwed = true;
      const { ids, amountMils } = truth.transfer;
      if (truth.successes.size > 0) violate(`${nameOf(ids.legacy)}: counted and owed back`);
      const amount = /"amount":"([^"]+)"/.exec(value)?.[1];
      if (amount !== undefined && parseMils(amount) !== amountMils)
        violate(`${nameOf(ids.legacy)}: another amount is owed back`);
    },
    asked({ body = "" }) {
      if (!body.includes("broadcast_transaction")) return;
      const { params } = JSON.parse(body) as { params: unknown[] };
      checkReturn(params[0]);
    },
    isDelivered: (claim) => listOf(claim).some(({ deliveries }) => deliveries > 0),
    isSettled: (claim, { hasReturns }) => listOf(claim).every((truth) => restOf(truth, hasReturns) === null),
    describeRest: (claim) =>
      listOf(claim)
        .map((truth) => restOf(truth, true))
        .find((rest) => rest !== null) ?? "nothing",
    check() {
      for (const [txId, { successes }] of truths) {
        const count = countReturns(txId);
        if (count > 1) violate(`${nameOf(txId)}: returned twice`);
        if (count > 0 && successes.size > 0) violate(`${nameOf(txId)}: counted and returned`);
      }
    },
  };
}
