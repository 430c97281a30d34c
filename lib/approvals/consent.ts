import { AsyncLocalStorage } from "node:async_hooks";
import { type Mils, parseMils, UNLIMITED } from "../mils.ts";
import { type MadePayment, type OfferToApprove, PaymentError } from "../x402/client/index.ts";
import type { ApprovalState } from "./approval-text.ts";
import type { Approval, Approvals } from "./approvals.ts";
import type { Place } from "./chat.ts";
import type { ChatDoor } from "./chat-door.ts";

/** One request while it is being paid for. */
export type Call = {
  /** Identifies the request, as in `Wanted`. */
  readonly request: string;
  /** An approval that a stopped process used, without a known outcome. */
  earlier: Approval | undefined;
  asked: Approval | null;
  taken: Approval | null;
  made: MadePayment | null;
  /** The ids of all approvals that this request waited for or used. */
  readonly held: Set<string>;
};

/** A request and the reason for its payment; `place` is missing if there is only one. */
export type Asking = { request: string; place?: Place; reason?: string | undefined };

/** The way to the owner. */
export type OwnersDoor = Pick<ChatDoor, "report"> & {
  ask(approval: Approval, asking: Asking): Promise<void>;
};

/** Asks for payments, uses the approvals up, and reports what became of them. */
export type Consent = {
  /** The option `approve` of a paying client. */
  approve: (offer: OfferToApprove) => Promise<boolean>;
  /** The option `onPayment` of a paying client. */
  onPayment: (payment: MadePayment) => void;
  /** Runs the work that pays for a request, and then reports the outcome to the owner. */
  run<T>(asking: Asking, work: (call: Call) => Promise<T>): Promise<T>;
  /** Returns whether a request of this process waits for an approval, or uses it. */
  isOwn(approvalId: string): boolean;
};

/** Creates the consent of an owner, who is asked in the chat if there is a `door` to it. */
export function createConsent({
  approvals,
  door,
  payUpToMils,
  readLeft,
  confirm,
}: {
  approvals: Approvals;
  door: OwnersDoor | null;
  /** Payments up to this amount are made without asking. */
  payUpToMils: Mils;
  /** Returns what is left of the budget for an address, such as "0.050 HBD", or null if there is no budget. */
  readLeft: (url: string) => Promise<string | null>;
  /** Returns the id of a payment's transaction, as chain nodes report it, or null if they have none. */
  confirm: (made: MadePayment) => Promise<string | null>;
}): Consent {
  const calls = new AsyncLocalStorage<Call & Asking>();
  /** The number of running calls by the approval that each waits for or uses. */
  const own = new Map<string, number>();
  const count = (id: string, change: 1 | -1) => {
    const calling = (own.get(id) ?? 0) + change;
    if (calling > 0) own.set(id, calling);
    else own.delete(id);
  };
  const hold = (call: Call, approval: Approval) => {
    if (call.held.has(approval.id)) return;
    call.held.add(approval.id);
    count(approval.id, 1);
  };

  const report = async (approval: Approval, state: ApprovalState, sentence?: string) => {
    await approvals.conclude(approval.id, state);
    await door?.report(approval, state, sentence);
  };
  const end = async (approval: Approval, state: ApprovalState, sentence?: string) => {
    await report(approval, state, sentence);
    await approvals.end(approval.id);
  };

  const tell = async ({ taken, earlier, asked, made }: Call, failure: unknown): Promise<void> => {
    const approval = taken ?? earlier ?? asked;
    if (!approval) return;
    if (made?.txId) {
      // Without a question, no one reads the outcome.
      const txId = approval.question ? await confirm(made).catch(() => null) : made.txId;
      const left = await readLeft(made.url).catch(() => null);
      const rest = left === null ? "" : ` Left of the budget: ${left}.`;
      const price = `${made.amount} to ${made.payTo}`;
      if (txId === null)
        await end(approval, "unclear", `The seller says that ${price} was paid; the chain does not.${rest}`);
      else await end(approval, "paid", `Paid ${price}, transaction \`${txId}\`.${rest}`);
    } else if (made) await report(approval, "unclear");
    // The store may hold the signed payment in spite of its error; a repeat of the request then sends it.
    else if (taken && failure instanceof PaymentError && failure.code === "budget_unavailable")
      await report(taken, "unclear");
    else if (taken) await end(taken, "unpaid");
    // After a failure, a repeat of the request can still use the approval, or finish the payment.
    else if (failure === null) await end(approval, earlier ? "unclear" : "unpaid");
  };

  return {
    async approve({ amount, payTo, network, url, description }) {
      if ((parseMils(amount) ?? UNLIMITED) <= payUpToMils) return true;
      const call = calls.getStore();
      if (!call) return false;
      const wanted = { amount, payTo, network, url, request: call.request };
      const taken = await approvals.take(wanted);
      if (taken) {
        hold(call, taken);
        call.taken = taken;
        return true;
      }
      if (call.earlier) {
        // Its payment is not on the way, so it was made, or never will be.
        await end(call.earlier, "unclear");
        call.earlier = undefined;
      }
      call.asked = await approvals.ask(wanted, description);
      if (!call.asked) return false;
      hold(call, call.asked);
      await door?.ask(call.asked, call);
      return false;
    },
    onPayment(payment) {
      const call = calls.getStore();
      if (call) call.made = payment;
    },
    async run(asking, work) {
      const earlier = (await approvals.asked()).find(
        ({ id, state, wanted }) => state === "taken" && wanted.request === asking.request && !own.has(id),
      );
      const call: Call & Asking = {
        ...asking,
        earlier,
        asked: null,
        taken: null,
        made: null,
        held: new Set(),
      };
      return calls.run(call, async () => {
        try {
          const value = await work(call);
          await tell(call, null);
          return value;
        } catch (error) {
          await tell(call, error);
          throw error;
        } finally {
          for (const id of call.held) count(id, -1);
        }
      });
    },
    isOwn: (id) => own.has(id),
  };
}
