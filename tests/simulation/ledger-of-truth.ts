import type { PaymentFlow } from "../../lib/x402/paywall/payment-flow.ts";
import type { SignedTransfer } from "../../lib/x402/transfer.ts";
import { blockAt, findTransfer, isFinal, type SimulatedChain } from "./simulated-chain.ts";
import { EPOCH_MS, type SimulatedProcess, type Stage } from "./simulated-process.ts";
import type { StoreServer } from "./simulated-store.ts";

/** Minimum time that a payment blocks others for the same purchase. */
const TURN_MS = 60_000;
/** Time after a fork within which callers may still get answers from the undone block. */
const STALE_MS = 30_000;

/** Number of times a delivery may break off without ending its payment. */
const BREAKS_MOST = 3;

/**
 * The handler's content for a payment: `over` once the shop has answered with it; `broken` if it failed after
 * its headers or its reader disconnected before its end; `withheld` if its delivery could not be recorded for
 * certain.
 */
export type Attempt = {
  process: SimulatedProcess;
  life: number;
  end: "running" | "over" | "broken" | "withheld";
  /** True if the handler returned whole content. */
  hasWorked: boolean;
};

/** The true history of one signed transfer. */
export type Truth = {
  transfer: SignedTransfer;
  header: string;
  url: string;
  /** The payer's life in which the payment was signed. A later life may not know of the payment. */
  payerLife: string;
  signedAt: number;
  /** The callers that got a success. */
  successes: Set<string>;
  deliveries: number;
  deliveredAt: number | null;
  attempts: Attempt[];
  /**
   * True if another party settled or broadcast the payment before the shop had claimed and reserved it. The
   * first party then gains it.
   */
  isMeddledWith: boolean;
  /** True if the payment shows its holder's secret. */
  hasHolder: boolean;
};

/**
 * The invariants of all parties. Each method reports an event, and ends the run if the event must not have
 * happened.
 */
export type LedgerOfTruth = {
  readonly truths: ReadonlyMap<string, Truth>;
  signed(given: {
    transfer: SignedTransfer;
    header: string;
    url: string;
    call: string;
    payerLife: string;
    hasHolder: boolean;
  }): Truth;
  succeeded(given: {
    txId: string;
    blockNum: number | undefined;
    mark: string;
    isFinalWanted: boolean;
  }): void;
  /** Reports that a facilitator has reported a refusal by the chain. */
  rejected(txId: string): void;
  handled(contentId: string, process: SimulatedProcess): Attempt;
  delivered(contentId: string): void;
  isCharged(truth: Truth): boolean;
  /**
   * Checks an account's one-time purchase: two payments may be charged only if the first brought no content
   * within its turn.
   */
  checkPurchases(url: string): void;
};

export type Budget = { maxMils: number; perDayMils: number; perHostMils: number };

/** The facts about its world that a run's ledger requires. */
type Given = {
  /** Returns the budget of an account. */
  budgetOf(account: string): Budget;
  /** The store in which deliveries are recorded. */
  claims: Pick<StoreServer, "failedAt" | "entries">;
  /** The shops' order of payment and work. */
  flow: PaymentFlow;
  /** Returns whether an account remembers its sent payments across a crash. */
  keepsPurse(account: string): boolean;
  /** Returns the number of requests for an address. */
  requestsFor(url: string): number;
};

/** Creates the ledger of a run. */
export function createLedgerOfTruth(
  stage: Stage,
  chain: SimulatedChain,
  { budgetOf, claims, flow, keepsPurse, requestsFor }: Given,
): LedgerOfTruth {
  const { scheduler, violate, note } = stage;
  const truths = new Map<string, Truth>();
  const byCall = new Map<string, Truth[]>();
  const nameOf = (contentId: string) => `payment ${contentId.slice(0, 8)}`;

  /** Finds the true history of a transfer by the id of either packing. */
  const find = (txId: string): Truth | undefined =>
    truths.get(txId) ?? [...truths.values()].find(({ transfer }) => transfer.ids.hf26 === txId);

  const findCharge = ({ transfer: { ids } }: Truth) => {
    const { head } = chain.view(0);
    return findTransfer(head, ids.legacy) ?? findTransfer(head, ids.hf26);
  };

  const mayLand = ({ transfer }: Truth) => transfer.expirationMs > EPOCH_MS + scheduler.now();

  /** Returns whether no block includes the payment or ever will, not even after a fork. */
  const isGone = (truth: Truth): boolean => {
    const { head, irreversibleNum } = chain.view(0);
    const endsBefore = (blockAt(head, irreversibleNum)?.timeMs ?? 0) > truth.transfer.expirationMs;
    return endsBefore && findCharge(truth) === null;
  };

  /** Checks that one call signs a second payment only if the first can no longer bring content to anyone. */
  const checkCall = (call: string, truth: Truth) => {
    const earlier = byCall.get(call) ?? [];
    byCall.set(call, [...earlier, truth]);
    if (!earlier.every(isGone)) violate("one request was signed for twice");
  };

  const checkBudget = (account: string, life: string) => {
    const budget = budgetOf(account);
    const sum = (all: readonly Truth[]) =>
      all.reduce((total, { transfer }) => total + transfer.amountMils, 0);
    const counted = [...truths.values()].filter(
      (truth) => truth.transfer.from === account && (findCharge(truth) !== null || mayLand(truth)),
    );
    const ofLife = counted.filter(({ payerLife }) => payerLife === life);
    const [day, host] = [sum(keepsPurse(account) ? counted : ofLife), sum(ofLife)];
    if (day > budget.perDayMils) violate(`budget exceeded: ${day} of ${budget.perDayMils} a day`);
    if (host > budget.perHostMils) violate(`budget exceeded: ${host} of ${budget.perHostMils} a host`);
  };

  /** Returns whether the payer may still get the payment's content. */
  const mayBring = (truth: Truth, life: string) =>
    truth.deliveries === 0 &&
    !truth.isMeddledWith &&
    !isLostOnItsWay(truth) &&
    (keepsPurse(truth.transfer.from) || truth.payerLife === life) &&
    (findCharge(truth) !== null || mayLand(truth));

  /**
   * Checks that while the first payment may still be included, a second one is signed only for another
   * request.
   */
  const checkUnderWay = (url: string, life: string) => {
    const underWay = [...truths.values()].filter((truth) => truth.url === url && mayBring(truth, life));
    if (underWay.length > requestsFor(url)) violate("signed again while the first payment may land");
  };

  /**
   * Returns whether the end of a complete delivery may be unknown, because its process died or the claims
   * were unavailable.
   */
  const mayBeForgotten = ({ attempts, deliveredAt }: Truth) =>
    claims.failedAt >= (deliveredAt ?? 0) || attempts.some(({ process, life }) => process.life !== life);

  /** Returns whether the shops' store records that the content may be sent. */
  const isWrittenDown = (contentId: string) =>
    /"phase":"deliver(?:ing|ed)"/.test(claims.entries.get(`x402:claim:${contentId}`)?.value ?? "");

  /** Returns whether the honest majority had the payment in that block a moment ago. */
  const wasIncluded = (txId: string, blockNum: number | undefined): boolean => {
    for (let lagMs = 0; lagMs <= STALE_MS; lagMs += 1000)
      if (findTransfer(chain.view(lagMs).head, txId)?.block.num === blockNum) return true;
    return false;
  };

  return {
    truths,
    signed({ transfer, header, url, call, payerLife, hasHolder }) {
      const id = transfer.ids.legacy;
      const present = truths.get(id);
      if (present) return present;
      const truth: Truth = {
        ...{ transfer, header, url, payerLife, hasHolder, signedAt: scheduler.now() },
        ...{
          successes: new Set<string>(),
          deliveries: 0,
          deliveredAt: null,
          attempts: [],
          isMeddledWith: false,
        },
      };
      truths.set(id, truth);
      note(`${nameOf(id)} is signed`);
      if (transfer.amountMils > budgetOf(transfer.from).maxMils)
        violate(`a payment over the limit: ${transfer.amountMils}`);
      checkCall(call, truth);
      checkBudget(transfer.from, payerLife);
      checkUnderWay(url, payerLife);
      return truth;
    },
    succeeded({ txId, blockNum, mark, isFinalWanted }) {
      const truth = find(txId);
      if (!truth) return violate(`success for a transfer that nobody signed: ${txId.slice(0, 8)}`);
      if (truth.successes.has(mark)) return;
      truth.successes.add(mark);
      const id = truth.transfer.ids.legacy;
      const isOwed = flow === "upfront" || truth.isMeddledWith;
      if (!isOwed && !truth.attempts.some(({ hasWorked }) => hasWorked))
        return violate(`${nameOf(id)}: settled for work that failed`);
      if (truth.successes.size > 1) return violate(`${nameOf(id)}: success for two callers`);
      if (!wasIncluded(txId, blockNum)) return violate(`${nameOf(id)}: success, and in no block ${blockNum}`);
      if (isFinalWanted && !isFinal(chain.view(0), txId))
        violate(`${nameOf(id)}: success, and a fork can undo it`);
    },
    rejected(txId) {
      if (chain.held.has(txId)) violate(`payment ${txId.slice(0, 8)}: called refused, and may still land`);
    },
    handled(contentId, process) {
      const attempt: Attempt = { process, life: process.life, end: "running", hasWorked: false };
      const truth = truths.get(contentId);
      if (!truth) violate("the handler ran for a transfer that nobody signed");
      else if (flow === "upfront" && truth.successes.size === 0)
        violate(`${nameOf(contentId)}: the handler ran without a success`);
      truth?.attempts.push(attempt);
      return attempt;
    },
    delivered(contentId) {
      const truth = truths.get(contentId);
      if (!truth) return violate("a delivery for a transfer that nobody signed");
      truth.deliveries++;
      truth.deliveredAt ??= scheduler.now();
      note(`${nameOf(contentId)} is delivered`);
      if (truth.successes.size === 0) violate(`${nameOf(contentId)}: delivered without a success`);
      if (!isWrittenDown(contentId)) violate(`${nameOf(contentId)}: delivered, and not written down`);
      const most = mayBeForgotten(truth) ? 1 + BREAKS_MOST : 1;
      if (truth.deliveries > most) violate(`${nameOf(contentId)}: delivered twice`);
    },
    isCharged: (truth) => findCharge(truth) !== null,
    checkPurchases(url) {
      const charged = [...truths.values()]
        .filter((truth) => truth.url === url && !truth.isMeddledWith)
        .flatMap((truth) => {
          const chargedAt = findCharge(truth)?.block.timeMs;
          return chargedAt === undefined ? [] : [{ truth, chargedAt: chargedAt - EPOCH_MS }];
        })
        .sort((one, other) => one.chargedAt - other.chargedAt);
      for (const [index, { truth: first }] of charged.entries())
        for (const { truth: second, chargedAt } of charged.slice(index + 1)) {
          const isInTurn = chargedAt < first.signedAt + TURN_MS;
          const isOwned = first.deliveredAt !== null && second.signedAt > first.deliveredAt;
          if (isInTurn || isOwned) violate(`${nameOf(second.transfer.ids.legacy)}: bought a second time`);
        }
    },
  };
}

/**
 * Returns whether the content has broken off, alone or with its process, so often that its payer gets no
 * more for it.
 */
export function isLostOnItsWay({ attempts }: Pick<Truth, "attempts">): boolean {
  const broken = attempts.filter(
    ({ process, life, end }) => end === "broken" || (end !== "over" && process.life !== life),
  );
  return broken.length > BREAKS_MOST;
}
