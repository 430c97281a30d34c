"use client";

import { useSyncExternalStore } from "react";
import type { ClaimNews } from "../../../lib/x402/client/watch-claims.ts";
import { CLAIMS, onLeaving, UNFINISHED } from "../_session/person.ts";
import { createExternalStore } from "../_ui/external-store.ts";
import { keptKeys } from "../_ui/kept-text.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import type { FailureKind } from "./failure.ts";
import type { PayStep } from "./flow.ts";
import type { KeptClaim } from "./kept-claims.ts";
import type { Payer } from "./pay.ts";
import type { Receipt } from "./receipt-card.tsx";
import type { Target } from "./target.ts";

export type PaymentState =
  | { kind: "idle" }
  /**
   * `walletUntil`: the time, as in `performance.now()`, after which the wallet's signature is too late, or
   * null while no wallet is asked.
   */
  | { kind: "busy"; step: PayStep; walletUntil: number | null }
  /** A transfer is awaited that pays the claim. */
  | ({ kind: "sending"; claim: KeptClaim } & ClaimNews)
  /** `said`: the wallet's own message. A payment that `mayGoOn` may still be on its way. */
  | { kind: "failed"; failure: FailureKind; requestId: string | null; said: string | null; mayGoOn: boolean }
  | { kind: "paid"; paid: Paid };

export type Paid = { body: unknown; receipt: Receipt; flow: FlowStep[] };

/** The subject of a payment in progress. */
export type Subject = {
  title: string;
  /** Describes what is paid to whom, and for what, as part of a sentence. */
  order: (amount: string, payee: string) => string;
  /** Stores the purchase if the dialog was closed meanwhile. */
  keep: (paid: Paid) => void;
  /** Returns the message for a purchase that was stored because the dialog was closed. */
  done: (amount: string) => string;
  /**
   * Returns the address where the content can be read, or null if it is already on the page or there is
   * nothing to read.
   */
  address: () => string | null;
};

/** One payment, which continues whether or not its dialog is open. */
export type OngoingPayment = Readonly<{
  key: string;
  target: Target;
  /** The payer, regardless of the dialog from which the payment is sent again. */
  payer: Payer;
  subject: Subject;
  amount: string;
  payee: string;
  state: PaymentState;
  flow: readonly FlowStep[];
  /** True if the payment's dialog was reopened from the list of payments. */
  isReopened: boolean;
  /**
   * True if the payment is hidden until its dialog is opened: it may be on its way, so it can't be forgotten.
   */
  isHidden: boolean;
  /** True if an earlier page sent the payment, so no wallet is asked and nothing is signed. */
  isTakenUp: boolean;
}>;

const idle: PaymentState = { kind: "idle" };

const payments = createExternalStore<ReadonlyMap<string, OngoingPayment>>(new Map());
/** Payments whose dialogs are closed, and those reopened from the list. */
const left = createExternalStore<readonly OngoingPayment[]>([]);
/** Number of dialogs that show each payment. */
const windows = new Map<string, number>();

// Purchases belong to their payer's account, and are not shown to later users.
onLeaving(() => {
  payments.publish(new Map());
  sortOut();
});

/** Returns whether a dialog shows the payment. */
export const isShown = (key: string): boolean => windows.has(key);

export const orderOf = ({ subject, amount, payee }: OngoingPayment) => subject.order(amount, payee);

export const ongoingPayment = (key: string): OngoingPayment | undefined => payments.snapshot().get(key);

/** Adds a payment to the list, or replaces it; null removes it. */
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

/** Forgets a payment that has ended. A reopened dialog starts afresh. */
export function forgetPayment(key: string): void {
  if (ongoingPayment(key)?.isReopened) changePayment(key, { state: idle, flow: [] });
  else put(key, null);
}

/**
 * Removes a payment from the list. A payment that may be on its way, or may be sent, is only hidden until its
 * dialog is opened.
 */
export function hidePayment(key: string): void {
  const state = ongoingPayment(key)?.state;
  if (state?.kind === "sending" || (state?.kind === "failed" && state.mayGoOn))
    changePayment(key, { isHidden: true });
  else put(key, null);
}

/** Reopens the dialog of a payment, or closes it, which ends a payment that has stopped. */
export function reopenPayment(key: string, isReopened = true): void {
  if (!isReopened && ongoingPayment(key)?.state.kind === "idle") put(key, null);
  else changePayment(key, { isReopened });
}

/** Shows a purchase as done in the list of payments, and closes its reopened dialog. */
export function showPaid(payment: OngoingPayment, paid: Paid): void {
  put(payment.key, { ...payment, isReopened: false, state: { kind: "paid", paid } });
}

/** Records that a dialog shows the payment. Call the returned function when the dialog closes. */
export function showInWindow(key: string): () => void {
  windows.set(key, (windows.get(key) ?? 0) + 1);
  sortOut();
  return () => {
    const others = (windows.get(key) ?? 1) - 1;
    if (others > 0) windows.set(key, others);
    else windows.delete(key);
    const state = ongoingPayment(key)?.state;
    // A payment that certainly failed ends with its last dialog.
    if (others === 0 && state?.kind === "failed" && !state.mayGoOn) put(key, null);
    else sortOut();
  };
}

/** Returns the ongoing payment under `key`, or undefined if there is none. */
export function useOngoingPayment(key: string): OngoingPayment | undefined {
  return useSyncExternalStore(
    payments.subscribe,
    () => ongoingPayment(key),
    () => undefined,
  );
}

/**
 * Returns whether any payment was begun since this page was loaded, or was left unfinished by an earlier
 * page.
 */
export function useHasBegun(): boolean {
  return useSyncExternalStore(
    payments.subscribe,
    () => {
      hasBegun ||= keptKeys().some((key) => key.startsWith(UNFINISHED) || key.startsWith(CLAIMS));
      return hasBegun;
    },
    () => false,
  );
}

/** Returns the payments whose dialogs are closed, and those reopened from the list. */
export function useLeftPayments(): readonly OngoingPayment[] {
  return useSyncExternalStore(left.subscribe, left.snapshot, left.snapshot);
}

/** Returns the payment for a target that continues with its dialog closed. */
export function findLeft(isIt: (target: Target) => boolean): OngoingPayment | undefined {
  return left.snapshot().find(({ target }) => isIt(target));
}
