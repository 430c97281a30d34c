"use client";

import { type ReactNode, useState } from "react";
import { hasKeychain } from "../_session/keychain.ts";
import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { readHbd, writeAmount } from "./amounts.ts";
import { BalanceHint } from "./balance-hint.tsx";
import { FlowInspector } from "./flow-inspector.tsx";
import { loadPayers, type Payers } from "./load-payers.ts";
import { loadQuote } from "./load-quote.ts";
import { OfferSummary } from "./offer-summary.tsx";
import type { Target } from "./pay.ts";
import { PayFailure } from "./pay-failure.tsx";
import { PayProgress } from "./pay-progress.tsx";
import { type PayerChoice, PayerPicker } from "./payer-picker.tsx";
import { refusalOf, remainingOf } from "./spend-guard.ts";
import { SpendLimits } from "./spend-limits.tsx";
import { strings } from "./strings.en.ts";
import { useLoaded } from "./use-loaded.ts";
import { type Paid, usePayment } from "./use-payment.ts";
import { useSpendGuard } from "./use-spend-guard.ts";

/** All of one payment: what it costs, who pays, the limits, its course and its failures. */
export function PayPanel({
  target,
  amount,
  onPaid,
  children,
}: {
  target: Target;
  /** Such as "0.050 HBD". */
  amount: string;
  onPaid: (paid: Paid) => void;
  /** Further choices, shown as long as nothing is under way. */
  children?: ReactNode;
}) {
  const guard = useSpendGuard();
  const quote = useLoaded(`${target.method} ${target.url}`, (signal) => loadQuote(target, signal));
  const payers = useLoaded("payers", loadPayers);
  const [chosen, setChosen] = useState<PayerChoice | null>(null);
  const { state, flow, start, reset } = usePayment(target, quote.data?.amount ?? amount, onPaid);

  if (quote.status === "failed" || payers.status === "failed")
    return (
      <Notice
        tone="danger"
        title={strings.quoteFailed}
        actions={
          <Button
            tone="primary"
            onClick={() => {
              quote.reload();
              payers.reload();
            }}
          >
            {strings.tryAgain}
          </Button>
        }
      />
    );

  const price = quote.data?.amount ?? amount;
  const payee = quote.data?.payTo ?? "";
  const choice = chosen ?? firstChoice(payers.data, payee);
  const refusal = refusalOf(guard, readHbd(price) ?? 0);
  const isWalletMissing = choice.kind === "keychain" && chosen !== null && !hasKeychain();
  const isReady = quote.data !== null && payers.data !== null && choice.account.length >= 3;
  const pay = () => {
    if (!payers.data) return;
    const account = payers.data.accounts.find(({ name }) => name === choice.account);
    const activeKey = choice.kind === "sandbox" ? (account?.activeKey ?? null) : null;
    void start({ account: choice.account, activeKey }, payers.data.chain);
  };

  return (
    <div className="space-y-4">
      <OfferSummary quote={quote.data} />
      {state.kind === "busy" && <PayProgress step={state.step} />}
      {state.kind === "failed" && <PayFailure {...state} onRetry={pay} onReset={reset} />}
      {state.kind === "idle" && (
        <>
          {children}
          {payers.data ? (
            <PayerPicker payers={payers.data} payee={payee} choice={choice} onChoose={setChosen} />
          ) : (
            <Skeleton className="h-28 rounded-xl" />
          )}
          <BalanceHint account={choice.account} amount={price} />
        </>
      )}
      {state.kind !== "busy" && <SpendLimits />}
      <FlowInspector steps={flow} />
      {state.kind === "idle" && (
        // In view however long the choices above are.
        <div className="sticky -bottom-5 -mx-5 -mb-5 space-y-3 border-t border-line bg-surface px-5 pt-3 pb-5">
          {refusal && (
            <p role="alert" className="text-sm text-danger">
              {refusal === "over_limit"
                ? strings.guard.over_limit(price, writeAmount(guard.paymentMillis))
                : strings.guard.over_budget(price, writeAmount(remainingOf(guard)))}
            </p>
          )}
          {isWalletMissing && (
            <p role="alert" className="text-sm text-danger">
              {strings.payer.keychainMissing}
            </p>
          )}
          <Button
            tone="primary"
            size="large"
            className="w-full"
            disabled={!isReady || refusal !== null || isWalletMissing || choice.account === payee}
            onClick={pay}
          >
            {strings.pay(price)}
          </Button>
        </div>
      )}
    </div>
  );
}

function firstChoice(payers: Payers | null, payee: string): PayerChoice {
  const { accounts = [], me = null } = payers ?? {};
  const own = accounts.find(({ name }) => name === me && name !== payee);
  const first = own ?? accounts.find(({ name }) => name !== payee);
  return first ? { kind: "sandbox", account: first.name } : { kind: "keychain", account: me ?? "" };
}
