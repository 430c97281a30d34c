"use client";

import { useEffect } from "react";
import { addMils, type Mils, subtractMils } from "../../../lib/mils.ts";
import { type ChainHere, useChainHere } from "../_session/chain-here.tsx";
import { WalletError } from "../_session/keychain.ts";
import { onLeaving } from "../_session/person.ts";
import { toast } from "../_ui/toast.tsx";
import type { FlowStep } from "../_wire/flow-step.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { classify, isUndecided, type Problem } from "./failure.ts";
import { decodeHeader, type PayStep } from "./flow.ts";
import { rememberPayer } from "./last-payer.ts";
import {
  beginPayment,
  changePayment,
  forgetPayment,
  isShown,
  ongoingPayment,
  orderOf,
  type PaymentState,
  type Subject,
  showInWindow,
  useOngoingPayment,
} from "./ongoing-payments.ts";
import { isUnderWay, type Payer, pay, takeUp } from "./pay.ts";
import { readPayment } from "./read-payment.ts";
import { changeGuard, currentGuard } from "./spend-guard.ts";
import { strings } from "./strings.en.ts";
import type { Target } from "./target.ts";
import type { Unfinished } from "./unfinished-payments.ts";

type Settled = { payer?: string; txId?: string; blockNum?: number; network?: string };

const waiting = new Map<string, AbortController>();
const keyOf = ({ method, url }: Target) => `${method} ${url}`;
const EXPIRED = "offer_expired";

/** Stops waiting for the wallet. A later signature is not used. */
export function stopWaiting(key: string): void {
  waiting.get(key)?.abort();
}

// The result of a payment in progress is not shown to later users; a sent payment waits until its payer
// returns.
onLeaving(() => {
  for (const left of waiting.values()) left.abort();
});

async function run(key: string, chain: ChainHere): Promise<void> {
  const payment = ongoingPayment(key);
  if (!payment) return;
  const { payer } = payment;
  const steps = [...payment.flow];
  const fail = (problem: Problem, requestId: string | null = null) => {
    const failure = classify(problem, isUnderWay(payment.target, payer));
    changePayment(key, {
      state: { kind: "failed", failure, requestId, said: wordsOf(problem), mayGoOn: isUndecided(failure) },
    });
  };
  const leaving = new AbortController();
  waiting.set(key, leaving);
  const { signal } = leaving;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const goOn = (step: PayStep, walletUntil: number | null = null) => {
    clearTimeout(timer);
    changePayment(key, { state: { kind: "busy", step, walletUntil } });
  };
  try {
    const { response, body, wasBought } = await pay(payment.target, {
      title: payment.subject.title,
      payer,
      chain,
      guard: currentGuard(),
      watch: {
        signal,
        onLate: () => toast(strings.late[signal.reason === EXPIRED ? "expired" : "left"](orderOf(payment))),
        onStep: goOn,
        onWallet(leftMs) {
          goOn("sign", performance.now() + leftMs);
          timer = setTimeout(() => leaving.abort(EXPIRED), leftMs);
        },
        onFlow(step) {
          steps.push(step);
          wireLog.addStep(step);
          changePayment(key, { flow: [...steps] });
        },
        onSpent: (mils) => countSpent((spent) => addMils(spent, mils)),
        onUncharged: (mils) => countSpent((spent) => subtractMils(spent, mils)),
      },
    });
    if (!response.ok) {
      fail({ status: response.status, code: body.code ?? "" }, response.headers.get("x-request-id"));
      return;
    }
    const settled = decodeHeader<Settled>(response.headers.get("x-payment-response"));
    const receipt = {
      payer: settled?.payer ?? payer.account,
      txId: settled?.txId ?? "",
      blockNum: settled?.blockNum ?? null,
      network: settled?.network ?? chain.network,
      amount: payment.amount,
    };
    rememberPayer("signature");
    if (wasBought) toast(strings.wasBought(receipt.payer));
    const paid = { body, receipt, flow: steps };
    if (!isShown(key) && ongoingPayment(key)) payment.subject.keep(paid);
    changePayment(key, { state: { kind: "paid", paid } });
  } catch (error) {
    if (!signal.aborted || isUnderWay(payment.target, payer)) fail({ error });
    else if (signal.reason === EXPIRED) fail({ status: 402, code: EXPIRED });
    else forgetPayment(key);
  } finally {
    clearTimeout(timer);
  }
}

const idle: PaymentState = { kind: "idle" };
const asking: PaymentState = { kind: "busy", step: "ask", walletUntil: null };
const settling: PaymentState = { kind: "busy", step: "settle", walletUntil: null };
const noSteps: readonly FlowStep[] = [];

/** Finishes a payment that an earlier page sent, by sending it again unchanged. */
export async function finishPayment(
  unfinished: Unfinished,
  subject: Subject,
  chain: ChainHere,
): Promise<void> {
  const { target, header } = unfinished;
  const { from, to, amount } = readPayment(header);
  const key = keyOf(target);
  await takeUp(unfinished, async () => {
    if (ongoingPayment(key)) return;
    const order = { key, target, payer: { account: from, activeKey: null }, subject, amount, payee: to };
    const place = { isReopened: false, isHidden: false, isTakenUp: true };
    beginPayment({ ...order, ...place, state: settling, flow: [] });
    await run(key, chain);
  });
}

/**
 * Returns the current payment for a target, with all its steps. A payment in progress is shown, not begun
 * again.
 */
export function usePayment(target: Target, subject: Subject) {
  const key = keyOf(target);
  const payment = useOngoingPayment(key);
  const chain = useChainHere();
  useEffect(() => showInWindow(key), [key]);
  const start = ({ payer, amount, payee }: { payer: Payer; amount: string; payee: string }) => {
    const isReopened = payment?.isReopened ?? false;
    const place = { isReopened, isHidden: false, isTakenUp: false };
    beginPayment({ key, target, payer, subject, amount, payee, state: asking, flow: [], ...place });
    return run(key, chain);
  };
  /** Sends the same payment again, from the same payer. */
  const retry = () => {
    changePayment(key, { state: asking, isHidden: false });
    return run(key, chain);
  };
  return {
    key,
    state: payment?.state ?? idle,
    flow: payment?.flow ?? noSteps,
    payer: payment?.payer.account ?? "",
    isTakenUp: payment?.isTakenUp ?? false,
    start,
    retry,
    cancel: () => stopWaiting(key),
    forget: () => forgetPayment(key),
  };
}

function wordsOf(problem: Problem): string | null {
  const cause = "error" in problem ? (problem.error as { cause?: unknown } | null)?.cause : null;
  return cause instanceof WalletError ? cause.said : null;
}

function countSpent(change: (spent: Mils) => Mils): void {
  changeGuard((guard) => ({ ...guard, spentMils: change(guard.spentMils) }));
}
