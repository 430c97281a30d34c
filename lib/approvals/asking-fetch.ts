import { AsyncLocalStorage } from "node:async_hooks";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isAccountName } from "../hive/account-name.ts";
import { amountToMillis, formatMillis, parseMillis } from "../x402/amount.ts";
import { toChain } from "../x402/client/chain.ts";
import {
  createPayingFetch,
  type MadePayment,
  type OfferToApprove,
  type PayingFetch,
  type PayingFetchOptions,
  PaymentError,
} from "../x402/client/index.ts";
import { readRequest } from "../x402/client/logical-request.ts";
import { subjectOf } from "../x402/client/payments-under-way.ts";
import { createMemoryStore } from "../x402/memory-store.ts";
import type { ApprovalState } from "./approval-text.ts";
import { readApprovalText } from "./approval-text.ts";
import { type Approval, createApprovals } from "./approvals.ts";
import { type ApprovalChat, openChatDoor, type Place } from "./chat-door.ts";

const WAITING_MS = 600_000;

/** The options of a paying `fetch`, and the way to its owner. */
export type AskingFetchOptions = PayingFetchOptions & {
  /** The owner approves instead. */
  approve?: never;
  /** The chat client of the account that pays. Connect it, so that answers arrive. */
  chat: ApprovalChat;
  /** The account that approves, by a signature with its posting key. */
  owner: string;
  /** Payments up to this amount are made without asking; by default every payment is asked for. */
  payUpTo?: PayingFetchOptions["maxPayment"];
  /** Called with errors of the chat that no call reports, such as a question that could not be updated. */
  onFault?: (error: unknown) => void;
};

/** Where and why a payment is asked for. */
export type PaymentQuestion = Place & {
  /** One line for the owner, who signs it too. */
  reason?: string;
};

/** A request whose payment was asked for before this client was created. */
export type Unfinished = { url: string; channelId: string; rootId: string; reason: string | undefined };

/** A paying `fetch` that asks the account's owner in a chat. */
export type AskingFetch = Pick<PayingFetch, "spent" | "quote"> & {
  /**
   * Sends a request. If its payment needs approval, asks the owner and waits for the decision, then pays and
   * writes the receipt into the thread.
   * @throws PaymentError `not_approved` if the owner refuses or ten minutes pass, ChatError if the question
   * can't be written, and as the paying `fetch` does
   */
  (input: RequestInfo | URL, init: RequestInit | undefined, question: PaymentQuestion): Promise<Response>;
  /** Returns the requests that a stopped process left. Send them again to continue: none is paid twice. */
  unfinished(): Promise<Unfinished[]>;
  /** Stops reading answers, and ends all waiting. */
  close(): void;
};

/** One request while it is being paid for. */
type Call = {
  /** A hash of the request and its thread. */
  id: string;
  question: PaymentQuestion;
  /** Left `taken` by a process that was stopped. */
  earlier: Approval | undefined;
  asked: Approval | null;
  taken: Approval | null;
  made: MadePayment | null;
};

/**
 * Creates a paying `fetch` that asks its owner in a chat. With a `store` in the budget, questions and approvals survive
 * a restart. An approval permits one payment of the signed amount, payee and request, within ten minutes of the question.
 * @throws TypeError or RangeError for invalid options
 * @example const ask = createAskingFetch({ chat, owner: "alice", account: "carol", activeKey, payUpTo: "0.010 HBD" });
 * const page = await ask("https://shop.example/report", {}, { channelId, rootId, reason: "for @bob" });
 */
export function createAskingFetch({
  chat,
  owner,
  payUpTo,
  onFault,
  ...payer
}: AskingFetchOptions): AskingFetch {
  const { account, budget = {}, onPayment } = payer;
  if (!isAccountName(owner) || owner === account)
    throw new TypeError("owner must be the name of another chain account");
  if (payer.approve !== undefined) throw new TypeError("approve can't be given: the owner approves");
  const payUpToMillis = payUpTo === undefined ? 0 : amountToMillis(payUpTo);
  const store = budget.store ?? createMemoryStore();
  const approvals = createApprovals(store, { key: `x402:asked:${account}`, waitingMs: WAITING_MS });
  const { nodes } = toChain(payer);
  const door = openChatDoor({ chat, agent: account, owner, nodes, approvals, onFault });
  const calls = new AsyncLocalStorage<Call>();
  /** The payments that this client is making. */
  const own = new Set<string>();

  const approve = async ({ amount, payTo, network, url, description }: OfferToApprove): Promise<boolean> => {
    if ((parseMillis(amount) ?? Number.POSITIVE_INFINITY) <= payUpToMillis) return true;
    const call = calls.getStore();
    if (!call) return false;
    const wanted = { amount, payTo, network, url, request: call.id };
    const taken = await approvals.take(wanted);
    if (taken) {
      own.add(taken.id);
      call.taken = taken;
      return true;
    }
    if (call.earlier) {
      // Its payment is not on the way, so it was made, or never will be.
      await end(call.earlier, "unclear");
      call.earlier = undefined;
    }
    call.asked = await approvals.ask(wanted, description);
    if (call.asked) await door.ask(call.asked, call.question, call.question.reason);
    return false;
  };

  const payingFetch = createPayingFetch({
    ...payer,
    approve,
    onPayment: (payment) => {
      const call = calls.getStore();
      if (call) call.made = payment;
      return onPayment?.(payment);
    },
  } as PayingFetchOptions);

  const end = async (approval: Approval, state: ApprovalState, sentence?: string) => {
    await door.report(approval, state, sentence);
    await approvals.end(approval.id);
    own.delete(approval.id);
  };

  /** Returns what is left of the budget, or null if there is none. */
  const readLeft = async (url: string): Promise<string | null> => {
    const { perDay, perHost } = budget;
    const { lastDay, byHost } = await payingFetch.spent();
    const { host } = new URL(url);
    const left = [
      ...(perDay === undefined ? [] : [amountToMillis(perDay) - (parseMillis(lastDay) ?? 0)]),
      ...(perHost === undefined ? [] : [amountToMillis(perHost) - (parseMillis(byHost[host] ?? "") ?? 0)]),
    ];
    return left.length === 0 ? null : formatMillis(Math.max(0, Math.min(...left)));
  };

  /** Reports what became of an approved payment, in the thread. */
  const tell = async ({ taken, earlier, asked, made }: Call, hasFailed: boolean): Promise<void> => {
    const approval = taken ?? earlier ?? asked;
    if (!approval) return;
    if (made?.txId) {
      const left = await readLeft(made.url).catch(() => null);
      const rest = left === null ? "" : ` Left of the budget: ${left}.`;
      const { amount, payTo, txId } = made;
      await end(approval, "paid", `Paid ${amount} to ${payTo}, transaction \`${txId}\`.${rest}`);
    } else if (made) await door.report(approval, "unclear");
    else if (taken) await end(taken, "unpaid");
    // After a failure, a repeat of the request can still use the approval, or finish the payment.
    else if (!hasFailed) await end(approval, earlier ? "unclear" : "unpaid");
  };

  const ask = async (
    input: RequestInfo | URL,
    init: RequestInit | undefined,
    question: PaymentQuestion,
  ): Promise<Response> => {
    const request = await readRequest(input, init);
    const { url, method, headers, body, signal } = request;
    const { channelId, rootId = "" } = question;
    const id = bytesToHex(sha256(utf8ToBytes(JSON.stringify([subjectOf(request, url), channelId, rootId]))));
    const earlier = (await approvals.asked()).find(
      (one) => one.state === "taken" && one.wanted.request === id && !own.has(one.id),
    );
    const call: Call = { id, question, earlier, asked: null, taken: null, made: null };
    return calls.run(call, async () => {
      for (;;) {
        try {
          const sent = { ...request.init, method, headers, signal, ...(body && { body }) };
          const response = await payingFetch(url, sent);
          await tell(call, false);
          return response;
        } catch (error) {
          const { asked } = call;
          const isAsked = error instanceof PaymentError && error.code === "not_approved" && !call.taken;
          if (!isAsked || !asked) {
            await tell(call, true);
            throw error;
          }
          const decision = await door.decided(asked, signal);
          if (decision !== "approved") throw refusalOf(decision, error);
        }
      }
    });
  };

  return Object.assign(ask, {
    spent: payingFetch.spent,
    quote: payingFetch.quote,
    async unfinished() {
      const asked = await approvals.asked();
      return asked
        .filter(({ id }) => !own.has(id))
        .map(({ wanted: { url }, question: { text, channelId, rootId } }) => ({
          ...{ url, channelId, rootId, reason: readApprovalText(text)?.reason },
        }));
    },
    close: door.close,
  });
}

const sentences = {
  refused: "The owner has refused the payment.",
  expired: "The owner has not approved the payment within ten minutes.",
} as const;

const refusalOf = (decision: keyof typeof sentences, { code, offer, left }: PaymentError) =>
  new PaymentError(code, sentences[decision], { ...(offer && { offer }), ...(left && { left }) });
