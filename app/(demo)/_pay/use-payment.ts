"use client";

import { useState } from "react";
import type { FlowStep } from "../_wire/flow-step.ts";
import { wireLog } from "../_wire/wire-log.ts";
import { classify, type FailureKind, isUncharged, type Problem } from "./failure.ts";
import { decodeHeader, type PayStep } from "./flow.ts";
import { type PayChain, type Payer, pay, type Target } from "./pay.ts";
import type { Receipt } from "./receipt-card.tsx";
import { changeGuard, currentGuard } from "./spend-guard.ts";

export type PaymentState =
  | { kind: "idle" }
  | { kind: "busy"; step: PayStep }
  | { kind: "failed"; failure: FailureKind; requestId: string | null };

export type Paid = { body: unknown; receipt: Receipt; flow: FlowStep[] };

type Settled = { payer?: string; txId?: string; blockNum?: number; network?: string };

/** The course of one payment, with every step of it. */
export function usePayment(target: Target, amount: string, onPaid: (paid: Paid) => void) {
  const [state, setState] = useState<PaymentState>({ kind: "idle" });
  const [flow, setFlow] = useState<FlowStep[]>([]);

  const start = async (payer: Payer, chain: PayChain) => {
    const steps: FlowStep[] = [];
    let signedMillis = 0;
    const fail = (problem: Problem, requestId: string | null = null) => {
      const failure = classify(problem);
      if (isUncharged(failure)) spend(-signedMillis);
      setState({ kind: "failed", failure, requestId });
    };
    setFlow([]);
    setState({ kind: "busy", step: "ask" });
    try {
      const response = await pay(target, {
        payer,
        chain,
        guard: currentGuard(),
        watch: {
          onStep: (step) => setState({ kind: "busy", step }),
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
      fail({ error });
    }
  };

  return { state, flow, start, reset: () => setState({ kind: "idle" }) };
}

function spend(millis: number): void {
  changeGuard((guard) => ({ ...guard, spentMillis: Math.max(0, guard.spentMillis + millis) }));
}
