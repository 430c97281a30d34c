import { readApprovalText, readRequest } from "../../lib/approvals/approval-text.ts";
import { type Approval, isSettled } from "../../lib/approvals/approvals.ts";
import type { Post } from "../../lib/chat-client/index.ts";
import { formatMils, type Mils, parseMils } from "../../lib/mils.ts";
import { decodePayment } from "../../lib/x402/codec.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import { transferOf } from "./roles.ts";
import type { SimulatedChat } from "./simulated-chat.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";
import { createStoreServer, type StoreServer } from "./simulated-store.ts";

/** The life of a question. */
const LIFE_MS = 600_000;
/** The longest time between an agent's decision and its record in the store. */
const SLACK_MS = 12_000;
/** The time within which an agent reads an answer once all is calm. */
const HEARD_AFTER_MS = 120_000;
const RECEIPT =
  /^Paid (\S+ HBD) to (\S+), transaction `([0-9a-f]{40})`\.(?: Left of the budget: (\S+ HBD)\.)?$/;

/** An approval that was used up, and the payment that was signed for it. */
type Use = { approval: Approval; owner: string; paymentId: string | null };

/** The invariants of approvals. Each method ends the run if the event must not have happened. */
export type ApprovalTruth = {
  /** The store that the agent's processes share. */
  readonly store: StoreServer;
  /** Reports that the owner signs a text; `question` is the message with that text. */
  approved(text: string, question: Post | null): void;
  /** Reports that the owner refuses a request. */
  refused(requestId: string): void;
  /** Reports that a process has signed a payment for a wish. */
  born(header: string, wish: string, process: SimulatedProcess): void;
  /** Checks at the end that what the thread shows agrees with the chain. */
  check(): void;
};

/** Creates the invariants of a run's approvals. */
export function createApprovalTruth(
  { scheduler, violate, note }: Stage,
  given: {
    agent: string;
    chat: SimulatedChat;
    ledger: Pick<LedgerOfTruth, "truths" | "isCharged">;
    calmAtMs: number;
    payUpToMils: Mils;
    perDayMils: number;
    /** Returns the agent's processes. */
    processes: () => readonly SimulatedProcess[];
  },
): ApprovalTruth {
  const { agent, chat, ledger } = given;
  const key = `x402:asked:${agent}`;
  const approvedTexts = new Set<string>();
  const refusedRequests = new Set<string>();
  const uses: Use[] = [];
  const born = new Map<string, { mils: number; at: number }>();
  /** The list as it was stored last. */
  let stored = new Map<string, Approval>();

  const textOf = ({ question }: Approval) => question?.text ?? "";
  const isOpen = ({ state }: Approval) => state === "waiting" || state === "approved";
  const nameOf = ({ id }: Approval) => `request ${id}`;
  /** Returns whether an approval can still pay, which one whose use has ended can't. */
  const isInUse = ({ id }: Approval) => {
    const now = stored.get(id);
    return now !== undefined && !isSettled(now);
  };

  const checkQuestion = (approval: Approval, process: SimulatedProcess) => {
    const { wanted, question } = approval;
    const terms = readApprovalText(question?.text ?? "");
    if (!terms) return violate(`${nameOf(approval)}: its question can't be read`);
    const { amount, payTo, network, url, request } = wanted;
    const isSame =
      terms.amount === amount &&
      terms.payTo === payTo &&
      terms.network === network &&
      terms.request === request &&
      terms.resource === url.split("?", 1)[0];
    if (!isSame) violate(`${nameOf(approval)}: its question names other terms`);
    if (Date.parse(terms.expiresAt) > process.wallMs() + LIFE_MS + 1000)
      violate(`${nameOf(approval)}: its question is open for longer than ten minutes`);
  };

  const checkChange = (approval: Approval, before: Approval | undefined, process: SimulatedProcess) => {
    const { state, question } = approval;
    const name = nameOf(approval);
    const earlier = before?.state;
    if (question && !before?.question) checkQuestion(approval, process);
    if (before?.question && textOf(before) !== textOf(approval))
      violate(`${name}: its question changes after it was asked`);
    if (state === earlier) return;
    note(`${name} is ${state}`);
    if (before && isSettled(before)) return violate(`${name}: ${state} after it was ${earlier}`);
    const isUsed = state === "approved" || state === "taken";
    if (isUsed && !approvedTexts.has(textOf(approval)))
      return violate(`${name}: ${state} without its owner's signature`);
    const endsAtMs = Date.parse(readApprovalText(textOf(approval))?.expiresAt ?? "");
    if (isUsed && process.wallMs() > endsAtMs + SLACK_MS)
      return violate(`${name}: ${state} after its ten minutes`);
    if (state === "approved" && earlier === "taken") return violate(`${name}: approved a second time`);
    if (state === "taken") {
      if (earlier !== "approved") return violate(`${name}: used before it was approved`);
      uses.push({ approval, owner: `${process.name}/${process.life}`, paymentId: null });
    }
    const requestId = readApprovalText(textOf(approval))?.id ?? "";
    if (state === "refused" && !refusedRequests.has(requestId))
      violate(`${name}: refused, and not by its owner`);
  };

  const onPut = (value: string, storedKey: string, process: SimulatedProcess) => {
    if (storedKey !== key) return;
    const list = JSON.parse(value) as Approval[];
    const next = new Map(list.map((one) => [one.id, one]));
    if (next.size < list.length) violate("a request is stored twice");
    for (const before of stored.values())
      if (before.state === "approved" && !next.has(before.id))
        violate(`${nameOf(before)}: its approval is lost`);
    for (const one of list) checkChange(one, stored.get(one.id), process);
    const open = list.filter(isOpen).map(({ wanted }) => JSON.stringify(wanted));
    if (new Set(open).size < open.length) violate("one payment is asked for twice");
    stored = next;
  };

  /** Checks that an answer in time does not stay unread. */
  const checkHeard = (text: string) => {
    const approval = [...stored.values()].find((one) => textOf(one) === text);
    const isWaiting = approval?.state === "waiting" && approval.question?.postId !== null;
    const processes = given.processes();
    const isOpenEverywhere = processes.every(
      (one) => one.isAlive && one.wallMs() < (approval?.endsAtMs ?? 0),
    );
    if (isWaiting && isOpenEverywhere) violate(`${nameOf(approval)}: its owner's signature is not read`);
  };

  const wasSettled = ({ successes }: Truth) => successes.size > 0;
  const findPayment = (txId: string) =>
    [...ledger.truths.values()].find(({ transfer: { ids } }) => ids.legacy === txId || ids.hf26 === txId);

  const checkReceipt = (message: string) => {
    const [, amount = "", payTo = "", txId = "", left] = RECEIPT.exec(message) ?? [];
    if (txId === "") return;
    const payment = findPayment(txId);
    if (!payment || !wasSettled(payment))
      return violate(`a receipt for a payment that was not made: ${txId}`);
    const { from, to, amountMils } = payment.transfer;
    if (from !== agent || to !== payTo || formatMils(amountMils) !== amount)
      violate(`payment ${txId.slice(0, 8)}: its receipt names other terms`);
    // The agent counts what is left some time before its message arrives.
    const spent = [...born].filter(
      ([id, { at }]) =>
        (at < scheduler.now() - 60_000 || id === payment.transfer.ids.legacy) && isOnChain(id),
    );
    const spentMils = spent.reduce((sum, [, { mils }]) => sum + mils, 0);
    if (left !== undefined && (parseMils(left) ?? 0) + spentMils > given.perDayMils)
      violate(`a receipt names more of the budget than is left: ${left}`);
  };
  const isOnChain = (id: string) => {
    const truth = ledger.truths.get(id);
    return truth !== undefined && ledger.isCharged(truth);
  };

  chat.listen(({ userId, message }, isNew) => {
    if (userId !== agent) return;
    if (isNew) checkReceipt(message);
    const request = readRequest(message);
    if (request?.state === "approved" && !approvedTexts.has(request.text))
      violate("a question is shown as approved without its owner's signature");
  });

  /** Returns whether a payment for the approval with this text is on the chain. */
  const isPaid = (text: string) =>
    uses.some(
      ({ approval, paymentId }) => textOf(approval) === text && paymentId !== null && isOnChain(paymentId),
    );

  return {
    store: createStoreServer("asked", onPut),
    approved(text, question) {
      approvedTexts.add(text);
      if (!question) return;
      const heardBy = Math.max(scheduler.now(), given.calmAtMs) + HEARD_AFTER_MS;
      scheduler.after(heardBy - scheduler.now(), () => checkHeard(text));
    },
    refused: (requestId) => void refusedRequests.add(requestId),
    born(header, wish, process) {
      const { ids, amountMils, to } = transferOf(header);
      if (born.has(ids.legacy)) return;
      born.set(ids.legacy, { mils: amountMils, at: scheduler.now() });
      const name = `payment ${ids.legacy.slice(0, 8)}`;
      if (amountMils <= given.payUpToMils) return;
      const { network } = decodePayment(header);
      const use = uses.find(({ approval, owner, paymentId }) => {
        const { wanted, question } = approval;
        const reason = readApprovalText(question?.text ?? "")?.reason;
        return (
          paymentId === null &&
          isInUse(approval) &&
          reason === wish &&
          owner === `${process.name}/${process.life}` &&
          wanted.amount === formatMils(amountMils) &&
          wanted.payTo === to &&
          wanted.network === network
        );
      });
      if (!use) return violate(`${name}: signed without an approval of its own`);
      use.paymentId = ids.legacy;
    },
    check() {
      for (const { userId, message } of chat.posts) {
        const request = userId === agent ? readRequest(message) : null;
        if (!request) continue;
        const { state, text } = request;
        const isEnd = state === "refused" || state === "expired" || state === "unpaid";
        if (isEnd && isPaid(text)) violate(`a question is shown as ${state}, and was paid`);
      }
    },
  };
}
