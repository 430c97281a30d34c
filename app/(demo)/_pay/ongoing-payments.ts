"use client";

import { useSyncExternalStore } from "react";
import { onLeaving, UNFINISHED } from "../_session/gateway.ts";
import { createExternalStore } from "../_ui/external-store.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import type { FailureKind } from "./failure.ts";
import type { PayStep } from "./flow.ts";
import type { Payer, Target } from "./pay.ts";
import type { Receipt } from "./receipt-card.tsx";

export type PaymentState =
  | { kind: "idle" }
  /** `walletUntil`: when the wallet's signature comes too late, as `performance.now()` counts; null while it is not asked. */
  | { kind: "busy"; step: PayStep; walletUntil: number | null }
  /** `said`: the wallet's own words. One that `mayGoOn` may be on its way all the same. */
  | { kind: "failed"; failure: FailureKind; requestId: string | null; said: string | null; mayGoOn: boolean }
  | { kind: "paid"; paid: Paid };

export type Paid = { body: unknown; receipt: Receipt; flow: FlowStep[] };

/** What a payment is for, as long as it goes on. */
export type Subject = {
  title: string;
  /** What is paid, to whom and for what, as part of a sentence. */
  order: (amount: string, payee: string) => string;
  /** Takes what was paid for when the window is closed by then. */
  keep: (paid: Paid) => void;
  /** What is said of it then. */
  done: (amount: string) => string;
  /** Address at which the content can be read; null if it is on the page already, or there is nothing to read. */
  address: () => string | null;
};

/** One payment, which goes on whether its window is open or not. */
export type OngoingPayment = Readonly<{
  key: string;
  target: Target;
  /** Who pays, whichever window it is sent again from. */
  payer: Payer;
  subject: Subject;
  amount: string;
  payee: string;
  state: PaymentState;
  flow: readonly FlowStep[];
  /** Whether its window was opened again from where it is kept in view. */
  isReopened: boolean;
  /** Whether it is out of view until its window is opened: it may be on its way, so that it can't be forgotten. */
  isHidden: boolean;
  /** Whether an earlier page sent it, so that nothing is asked or signed any more. */
  isTakenUp: boolean;
}>;

const idle: PaymentState = { kind: "idle" };

const payments = createExternalStore<ReadonlyMap<string, OngoingPayment>>(new Map());
/** Those whose windows are closed, and those that were opened again from there. */
const left = createExternalStore<readonly OngoingPayment[]>([]);
/** How many windows show each. */
const windows = new Map<string, number>();

// What was paid for goes to its payer's account, and is shown to nobody who comes after them.
onLeaving(() => {
  payments.publish(new Map());
  sortOut();
});

/** Whether some window shows the payment. */
export const isShown = (key: string): boolean => windows.has(key);

export const orderOf = ({ subject, amount, payee }: OngoingPayment) => subject.order(amount, payee);

export const ongoingPayment = (key: string): OngoingPayment | undefined => payments.snapshot().get(key);

/** Puts a payment on the list, takes another's place there, or with null goes from it. */
function put(key: string, payment: OngoingPayment | null): void {
  const next = new Map(payments.snapshot());
  if (payment) next.set(key, payment);
  else next.delete(key);
  payments.publish(next);
  sortOut();
}

function sortOut(): void {
  const present = [...payments.snapshot().values()];
  const next = present.filter(({ key, isReopened, isHidden }) => isReopened || !(isHidden || isShown(key)));
  const before = left.snapshot();
  if (next.length > 0 || before.length > 0) left.publish(next);
}

let hasBegun = false;

export function beginPayment(payment: OngoingPayment): void {
  hasBegun = true;
  put(payment.key, payment);
}

export function changePayment(key: string, changes: Partial<OngoingPayment>): void {
  const payment = ongoingPayment(key);
  if (payment) put(key, { ...payment, ...changes });
}

/** Ends the memory of a payment that is over; where its window was opened again, that starts afresh. */
export function forgetPayment(key: string): void {
  if (ongoingPayment(key)?.isReopened) changePayment(key, { state: idle, flow: [] });
  else put(key, null);
}

/** Takes a payment out of view; one that may be on its way is shown again where it is asked for again. */
export function hidePayment(key: string): void {
  const state = ongoingPayment(key)?.state;
  if (state?.kind === "failed" && state.mayGoOn) changePayment(key, { isHidden: true });
  else put(key, null);
}

/** Opens the window of a payment again, or closes it; what does not go on is over with that. */
export function reopenPayment(key: string, isReopened = true): void {
  if (!isReopened && ongoingPayment(key)?.state.kind === "idle") put(key, null);
  else changePayment(key, { isReopened });
}

/** Keeps in view what was paid in a window that was opened again. */
export function showPaid(payment: OngoingPayment, paid: Paid): void {
  put(payment.key, { ...payment, isReopened: false, state: { kind: "paid", paid } });
}

/** A window shows the payment from now on; gives what ends that. */
export function showInWindow(key: string): () => void {
  windows.set(key, (windows.get(key) ?? 0) + 1);
  sortOut();
  return () => {
    const others = (windows.get(key) ?? 1) - 1;
    if (others > 0) windows.set(key, others);
    else windows.delete(key);
    const state = ongoingPayment(key)?.state;
    // What is known to have come to nothing is over with its window.
    if (others === 0 && state?.kind === "failed" && !state.mayGoOn) put(key, null);
    else sortOut();
  };
}

/** A payment as it stands; undefined for one that was not begun. */
export function useOngoingPayment(key: string): OngoingPayment | undefined {
  return useSyncExternalStore(
    payments.subscribe,
    () => ongoingPayment(key),
    () => undefined,
  );
}

function mayBeUnfinished(): boolean {
  try {
    return UNFINISHED in localStorage;
  } catch {
    return false;
  }
}

/** Whether any payment was begun since this page was loaded, or left unfinished by an earlier one. */
export function useHasBegun(): boolean {
  return useSyncExternalStore(
    payments.subscribe,
    () => {
      hasBegun ||= mayBeUnfinished();
      return hasBegun;
    },
    () => false,
  );
}

/** The payments whose windows are closed, and those that were opened again from there. */
export function useLeftPayments(): readonly OngoingPayment[] {
  return useSyncExternalStore(left.subscribe, left.snapshot, left.snapshot);
}

/** The payment of some target that goes on with its window closed. */
export function findLeft(isIt: (target: Target) => boolean): OngoingPayment | undefined {
  return left.snapshot().find(({ target }) => isIt(target));
}
