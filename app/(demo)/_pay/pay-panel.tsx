"use client";

import { clsx } from "clsx";
import { Check } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { addMils, formatMils, NO_MILS, parseMils } from "../../../lib/mils.ts";
import { ChainForWallet } from "../_session/chain-for-wallet.tsx";
import { useMissingKeychain } from "../_session/keychain.ts";
import { KeychainMissing, WalletWait } from "../_session/wallet-wait.tsx";
import { Button } from "../_ui/button.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Notice } from "../_ui/notice.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { writeAmount } from "./amounts.ts";
import type { FailureKind } from "./failure.ts";
import type { PayStep } from "./flow.ts";
import { FlowInspector } from "./flow-inspector.tsx";
import { loadPayers } from "./load-accounts.ts";
import { loadQuote, OfferSummary } from "./offer-summary.tsx";
import type { Paid, PaymentState, Subject } from "./ongoing-payments.ts";
import { firstChoice, type PayerChoice, PayerPicker, useBalance } from "./payer-picker.tsx";
import { beginTransfer, leaveTransfer } from "./sent-payments.ts";
import { changeGuard, refusalOf, remainingOf, type SpendGuard, useSpendGuard } from "./spend-guard.ts";
import { SpendLimits } from "./spend-limits.tsx";
import { strings } from "./strings.en.ts";
import type { Target } from "./target.ts";
import { useLoaded } from "./use-loaded.ts";
import { usePayment } from "./use-payment.ts";

// Most payments sign, and draw no code.
const TransferWait = loadPart(() => import("./transfer-wait.tsx").then((part) => part.TransferWait));

/** The panel for one whole payment: price, payer, limits, progress and failures. */
export function PayPanel({
  target,
  subject,
  amount,
  onPaid,
  isReady: isChosen = true,
  lastStep = strings.steps.done,
  children,
}: {
  target: Target;
  subject: Subject;
  /** The price, for example "0.050 HBD". */
  amount: string;
  onPaid: (paid: Paid) => void;
  /** True if the user has made the required choices. */
  isReady?: boolean;
  /** Label of the step that follows once the payment is in its block. */
  lastStep?: string;
  /** The choices to make first, shown while no payment is in progress. */
  children?: ReactNode;
}) {
  const guard = useSpendGuard();
  const quote = useLoaded(`${target.method} ${target.url}`, (signal) => loadQuote(target, signal));
  const payers = useLoaded("payers", loadPayers);
  const [chosen, setChosen] = useState<PayerChoice | null>(null);
  const keychain = useMissingKeychain();
  const { state, flow, payer, isTakenUp, start, retry, forget, cancel } = usePayment(target, subject);
  const finish = useEffectEvent((paid: Paid) => {
    forget();
    onPaid(paid);
  });
  useEffect(() => {
    if (state.kind === "paid") finish(state.paid);
  }, [state]);

  const offer = quote.data === "owned" ? null : quote.data;
  const price = offer?.amount ?? amount;
  const payee = offer?.payTo ?? "";
  const takesTransfer = offer?.takesTransfer ?? false;
  const choice = chosen ?? firstChoice(payers.data, { payee, takesTransfer });
  const { balance, isShort } = useBalance(choice.account, price);

  // A payment in progress needs neither the quote nor the payers.
  if (state.kind === "idle" && (quote.status === "failed" || payers.status === "failed"))
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

  if (quote.data === "owned" && state.kind !== "busy")
    return (
      <Notice
        title={strings.owned.title}
        actions={
          <Button tone="primary" onClick={() => window.location.reload()}>
            {strings.owned.show}
          </Button>
        }
      >
        {strings.owned.text}
      </Notice>
    );

  const refusal = refusalOf(guard, parseMils(price) ?? NO_MILS);
  const isWalletMissing = choice.kind === "keychain" && keychain.isMissing;
  const isReady =
    isChosen &&
    offer !== null &&
    payers.data !== null &&
    (choice.kind === "transfer" || choice.account.length >= 3);
  const choose = (next: PayerChoice) => {
    setChosen(next);
    if (next.kind === "keychain" && choice.kind !== "keychain") void keychain.look();
  };
  const pay = async () => {
    if (!payers.data) return;
    if (choice.kind === "transfer") {
      await beginTransfer({ target, subject, amount: price, payee });
      return;
    }
    if (choice.kind === "keychain" && !(await keychain.look())) return;
    const account = payers.data.accounts.find(({ name }) => name === choice.account);
    const activeKey = choice.kind === "sandbox" ? (account?.activeKey ?? null) : null;
    await start({ payer: { account: choice.account, activeKey }, amount: price, payee });
  };

  return (
    <div className="space-y-4">
      {state.kind === "idle" && children}
      <OfferSummary amount={price} quote={offer} />
      {state.kind === "busy" && isTakenUp && (
        <p className="text-sm">{strings.left.finishing(price, payer)}</p>
      )}
      {state.kind === "busy" && <PayProgress step={state.step} lastStep={lastStep} />}
      {state.kind === "busy" && state.walletUntil !== null && (
        <WalletWait
          asks={strings.wallet.asks(price, payee)}
          end={state.walletUntil}
          left={strings.wallet.left}
          onCancel={cancel}
        />
      )}
      {state.kind === "sending" && (
        <TransferWait
          {...state}
          onRenew={() => void beginTransfer({ target, subject, amount: price, payee })}
          onLeave={() => leaveTransfer(target)}
        />
      )}
      {state.kind === "failed" && (
        <PayFailure {...state} payer={payer} onRetry={() => void retry()} onReset={forget}>
          {isOfChain(state.failure) && (
            <div className="mt-3">
              <ChainForWallet isOpen />
            </div>
          )}
        </PayFailure>
      )}
      {state.kind === "idle" &&
        (payers.data ? (
          <PayerPicker
            payers={payers.data}
            payee={payee}
            choice={choice}
            amount={price}
            balance={balance}
            takesTransfer={takesTransfer}
            takesFocus={children === undefined}
            onChoose={choose}
          />
        ) : (
          <Skeleton className="h-12 rounded-xl" />
        ))}
      {state.kind === "failed" && <SpendLimits />}
      <FlowInspector steps={flow} className="-ms-3" />
      {state.kind === "idle" && (
        // This part stays in view, however long the choices above are.
        <div className="sticky -bottom-5 -mx-5 -mb-5 space-y-3 border-t border-line bg-surface px-5 pt-3 pb-5">
          <SpendLimits />
          {refusal && <Refusal price={price} guard={guard} refusal={refusal} />}
          {isWalletMissing && (
            <p role="alert" className="text-sm text-danger">
              <KeychainMissing />
            </p>
          )}
          <Button
            tone="primary"
            size="large"
            className="w-full"
            disabled={!isReady || refusal !== null || isShort || isWalletMissing || choice.account === payee}
            onClick={() => void pay()}
          >
            {strings.pay(price)}
          </Button>
        </div>
      )}
    </div>
  );
}

/** The reason why the limits refuse a price, with a button that allows the price. */
function Refusal({
  price,
  guard,
  refusal,
}: {
  price: string;
  guard: SpendGuard;
  refusal: "over_limit" | "over_budget";
}) {
  const mils = parseMils(price) ?? NO_MILS;
  const isOverLimit = refusal === "over_limit";
  const wanted = isOverLimit ? mils : addMils(guard.spentMils, mils);
  return (
    <div role="alert" className="space-y-2 text-sm text-danger">
      <p>
        {isOverLimit
          ? strings.guard.over_limit(price, writeAmount(guard.paymentMils))
          : strings.guard.over_budget(price, writeAmount(remainingOf(guard)))}
      </p>
      <Button
        size="small"
        onClick={() =>
          changeGuard((present) => ({
            ...present,
            [isOverLimit ? "paymentMils" : "tabMils"]: wanted,
          }))
        }
      >
        {strings.guard.raise(formatMils(wanted))}
      </Button>
    </div>
  );
}

/** Returns whether the failure may be caused by a wallet that is set to another chain. */
const isOfChain = (failure: FailureKind) => failure === "wrong_chain" || failure === "account_not_found";

const order = ["ask", "sign", "settle", "done"] as const;

/** The progress of a payment, as a list of its steps. */
function PayProgress({ step, lastStep }: { step: PayStep; lastStep: string }) {
  const present = order.indexOf(step === "pending" ? "settle" : step);
  return (
    <div role="status">
      <ol className="space-y-3">
        {order.map((name, index) => (
          <li
            key={name}
            aria-current={index === present ? "step" : undefined}
            className={clsx("flex items-center gap-3 text-sm", index > present && "text-ink-faint")}
          >
            <span
              aria-hidden
              className={clsx(
                "flex size-6 shrink-0 items-center justify-center rounded-full border",
                index < present && "border-good bg-good-wash text-good",
                index === present && "border-line-strong",
                index > present && "border-line",
              )}
            >
              {index < present && <Check size={14} />}
              {index === present && (
                <span className="size-3 animate-spin rounded-full border-2 border-line-strong border-e-transparent" />
              )}
            </span>
            {name === "done" ? lastStep : strings.steps[name]}
          </li>
        ))}
      </ol>
      {step === "pending" && <p className="mt-4 text-sm text-ink-soft">{strings.pending}</p>}
    </div>
  );
}

/** The reason why a payment failed, and the next step for that case. */
function PayFailure({
  failure,
  requestId,
  said,
  mayGoOn,
  payer,
  children,
  onRetry,
  onReset,
}: Extract<PaymentState, { kind: "failed" }> & {
  payer: string;
  /** Help for this kind of failure. */
  children?: ReactNode;
  /** Sends the same payment again. */
  onRetry: () => void;
  /** Leads back to the choice of payer and limits. */
  onReset: () => void;
}) {
  const { title, text } = strings.failures[failure];
  return (
    <Notice
      tone={
        failure === "cancelled" || failure === "wallet_asking" ? "neutral" : mayGoOn ? "warning" : "danger"
      }
      title={title}
      className="p-4"
      actions={
        // A person who has already paid is not led to pay again.
        failure !== "replayed" && (
          <Button tone="primary" onClick={mayGoOn ? onRetry : onReset}>
            {mayGoOn ? strings.sendAgain : strings.tryAgain}
          </Button>
        )
      }
    >
      <p>{typeof text === "string" ? text : text(payer)}</p>
      {said && <p className="mt-2">{strings.wallet.says(said)}</p>}
      {children}
      {requestId && <p className="mt-2 font-mono text-xs break-all">{strings.requestId(requestId)}</p>}
    </Notice>
  );
}
