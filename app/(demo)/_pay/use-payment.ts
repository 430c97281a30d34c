"use client";

import { useRef, useState } from "react";
import { WalletError } from "../_session/keychain.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { classify, type FailureKind, isUncharged, type Problem } from "./failure.ts";
import { decodeHeader, type PayStep } from "./flow.ts";
import { type PayChain, type Payer, pay, type Target } from "./pay.ts";
import type { Receipt } from "./receipt-card.tsx";
import { changeGuard, currentGuard } from "./spend-guard.ts";

export type PaymentState =
  | { kind: "idle" }
  /** `walletUntil`: when the wallet's signature comes too late, as `performance.now()` counts; null while it is not asked. */
  | { kind: "busy"; step: PayStep; walletUntil: number | null }
  /** `said`: the wallet's own words. */
  | { kind: "failed"; failure: FailureKind; requestId: string | null; said: string | null };

export type Paid = { body: unknown; receipt: Receipt; flow: FlowStep[] };

type Settled = { payer?: string; txId?: string; blockNum?: number; network?: string };

/** The course of one payment, with every step of it; `cancel` ends the waiting for a wallet, `expire` says why. */
export function usePayment(target: Target, amount: string, onPaid: (paid: Paid) => void) {
  const [state, setState] = useState<PaymentState>({ kind: "idle" });
  const [flow, setFlow] = useState<FlowStep[]>([]);
  const waiting = useRef<AbortController>(null);

  const start = async (payer: Payer, chain: PayChain) => {
    const steps: FlowStep[] = [];
    let signedMillis = 0;
    const fail = (problem: Problem, requestId: string | null = null) => {
      const failure = classify(problem);
      if (isUncharged(failure)) spend(-signedMillis);
      setState({ kind: "failed", failure, requestId, said: wordsOf(problem) });
    };
    waiting.current = new AbortController();
    const { signal } = waiting.current;
    setFlow([]);
    setState({ kind: "busy", step: "ask", walletUntil: null });
    try {
      const response = await pay(target, {
        payer,
        chain,
        guard: currentGuard(),
        watch: {
          signal,
          onStep: (step) => setState({ kind: "busy", step, walletUntil: null }),
          onWallet: (leftMs) =>
            setState({ kind: "busy", step: "sign", walletUntil: performance.now() + leftMs }),
          onFlow(step) {
            steps.push(step);
            wireLog.addStep(step);
            setFlow([...steps]);
          },
          onSigned(millis) {
            signedMillis += millis;
            spend(millis);
          },
        },
      });
      const body = (await response.json().catch(() => ({}))) as { code?: string };
      if (!response.ok) {
        fail({ status: response.status, code: body.code ?? "" }, response.headers.get("x-request-id"));
        return;
      }
      const settled = decodeHeader<Settled>(response.headers.get("x-payment-response"));
      const receipt = {
        payer: settled?.payer ?? payer.account,
        txId: settled?.txId ?? "",
        blockNum: settled?.blockNum ?? null,
        network: settled?.network ?? (chain ? "chain:sandbox" : "chain:mainnet"),
        amount,
      };
      setState({ kind: "idle" });
      onPaid({ body, receipt, flow: steps });
    } catch (error) {
      if (!signal.aborted || signedMillis > 0) fail({ error });
      else if (signal.reason === EXPIRED) fail({ status: 402, code: EXPIRED });
      else setState({ kind: "idle" });
    }
  };

  return {
    state,
    flow,
    start,
    reset: () => setState({ kind: "idle" }),
    cancel: () => waiting.current?.abort(),
    expire: () => waiting.current?.abort(EXPIRED),
  };
}

const EXPIRED = "offer_expired";

function wordsOf(problem: Problem): string | null {
  const cause = "error" in problem ? (problem.error as { cause?: unknown } | null)?.cause : null;
  return cause instanceof WalletError ? cause.said : null;
}

function spend(millis: number): void {
  changeGuard((guard) => ({ ...guard, spentMillis: Math.max(0, guard.spentMillis + millis) }));
}
