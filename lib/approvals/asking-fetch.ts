import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { isAccountName } from "../hive/account-name.ts";
import { formatMils, leastMils, NO_MILS, parseMils, readMils, subtractMils, UNLIMITED } from "../mils.ts";
import { toChain } from "../x402/client/chain.ts";
import {
  createPayingFetch,
  type PayingFetch,
  type PayingFetchOptions,
  PaymentError,
} from "../x402/client/index.ts";
import { readRequest } from "../x402/client/logical-request.ts";
import { confirmPayment } from "../x402/client/made-payment.ts";
import { subjectOf } from "../x402/client/payments-under-way.ts";
import { createMemoryStore } from "../x402/memory-store.ts";
import { readApprovalText } from "./approval-text.ts";
import { createApprovals, isSettled } from "./approvals.ts";
import type { ApprovalChat, Place } from "./chat.ts";
import { openChatDoor } from "./chat-door.ts";
import { createConsent } from "./consent.ts";

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
  payUpTo?: string;
  /** Called with errors of the chat that no call reports, such as a question that could not be updated. */
  onFault?: (error: unknown) => void;
};

/** The place and the reason of a question about a payment. */
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
  (
    input: string | URL | Request,
    init: RequestInit | undefined,
    question: PaymentQuestion,
  ): Promise<Response>;
  /** Returns the requests that a stopped process left. Send them again to continue: none is paid twice. */
  unfinished(): Promise<Unfinished[]>;
  /** Stops reading answers, and ends all waiting. */
  close(): void;
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
  const store = budget.store ?? createMemoryStore();
  const approvals = createApprovals(store, { key: `x402:asked:${account}`, waitingMs: WAITING_MS });
  const { nodes } = toChain(payer);
  const door = openChatDoor({ chat, agent: account, owner, nodes, approvals, onFault });
  const consent = createConsent({
    ...{ approvals, readLeft },
    door: {
      ask: async (approval, { place, reason }) => {
        if (place) await door.ask(approval, place, reason);
      },
      report: door.report,
    },
    payUpToMils: payUpTo === undefined ? NO_MILS : readMils(payUpTo),
    confirm: (made) => confirmPayment(nodes, made),
  });
  const { approve } = consent;
  const payingFetch = createPayingFetch({
    ...payer,
    approve,
    onPayment: (payment) => {
      consent.onPayment(payment);
      return onPayment?.(payment);
    },
  } as PayingFetchOptions);

  async function readLeft(url: string): Promise<string | null> {
    const { perDay, perHost } = budget;
    const { lastDay, byHost } = await payingFetch.spent();
    const { host } = new URL(url);
    if (perDay === undefined && perHost === undefined) return null;
    const left = (limit: string | undefined, spent: string | undefined) =>
      limit === undefined ? UNLIMITED : subtractMils(readMils(limit), parseMils(spent ?? "") ?? NO_MILS);
    return formatMils(leastMils(left(perDay, lastDay), left(perHost, byHost[host])));
  }

  const ask = async (
    input: string | URL | Request,
    init: RequestInit | undefined,
    { channelId, rootId = "", reason }: PaymentQuestion,
  ): Promise<Response> => {
    const sent = await readRequest(input, init);
    const { url, method, headers, body, signal } = sent;
    const request = bytesToHex(
      sha256(utf8ToBytes(JSON.stringify([subjectOf(sent, url), channelId, rootId]))),
    );
    return consent.run({ request, place: { channelId, rootId }, reason }, async (call) => {
      for (;;) {
        try {
          return await payingFetch(url, { ...sent.init, method, headers, signal, ...(body && { body }) });
        } catch (error) {
          const { asked } = call;
          const isAsked = error instanceof PaymentError && error.code === "not_approved" && !call.taken;
          if (!isAsked || !asked) throw error;
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
        .filter((approval) => !isSettled(approval) && !consent.isOwn(approval.id))
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
