"use client";

import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import type { FormEvent } from "react";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { formatMils } from "../../../lib/mils.ts";
import { loadHistory, readSignedInAccount } from "../_pay/load-accounts.ts";
import { useShopHere } from "../_pay/shop-here.tsx";
import { useLoaded } from "../_pay/use-loaded.ts";
import { SignInPanel } from "../_session/sign-in-panel.tsx";
import { MAX_TYPED_NAME, readAccountName } from "../_session/typed-name.ts";
import { FailureDetails } from "../_session/unavailable.tsx";
import { Button, buttonLook } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { PaymentPlot, PaymentTable, sumAll, sumByDay } from "./payment-plot.tsx";
import { strings } from "./strings.en.ts";

/**
 * The payments of the account in the address or, without one, of the signed-in user; otherwise a form to
 * choose one.
 */
export function PaymentsView() {
  const router = useRouter();
  const asked = useSearchParams().get("account");
  const signedIn = useLoaded(asked === null ? "signed-in account" : null, readSignedInAccount);
  const show = (account: string) => router.push(`/payments?account=${encodeURIComponent(account)}`);

  if (asked === null && signedIn.status === "loading") return <Skeleton className="mt-8 h-72 rounded-2xl" />;
  const account = asked ?? signedIn.data;
  if (account === null)
    return (
      <section className="mt-8 rounded-2xl border border-line bg-surface p-5 sm:p-7">
        <h2 className="text-lg font-semibold">{strings.choose}</h2>
        <p className="mt-1 mb-5 text-sm text-ink-soft">{strings.chooseHint}</p>
        <AccountForm account="" onChoose={show} />
        <div className="mt-6 border-t border-line pt-6">
          <SignInPanel onSignedIn={show} />
        </div>
      </section>
    );
  return (
    <div className="mt-6 space-y-6">
      <AccountForm account={account} onChoose={show} />
      <PaymentHistory account={account} />
    </div>
  );
}

/** A form for the name of the account to show. */
function AccountForm({ account, onChoose }: { account: string; onChoose: (account: string) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = readAccountName(String(new FormData(event.currentTarget).get("account")));
    if (name !== "") onChoose(name);
  };
  return (
    <form key={account} onSubmit={submit} className="flex items-end gap-2">
      <TextField
        name="account"
        label={strings.account}
        defaultValue={account}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_TYPED_NAME}
        required
        className="min-w-0 grow sm:max-w-60"
      />
      <Button type="submit" className="h-11">
        {strings.show}
      </Button>
    </form>
  );
}

const DAYS = 14;

/** The payments of one account: sums, plot, and table. */
function PaymentHistory({ account }: { account: string }) {
  const hasShop = useShopHere();
  const history = useLoaded(account, (signal) => loadHistory(account, signal));
  if (history.status === "loading")
    return (
      <div className="space-y-4">
        <Skeleton className="h-24 rounded-2xl" />
        <Skeleton className="h-56 rounded-2xl" />
      </div>
    );
  if (history.status === "failed") {
    const isUnknown = history.error instanceof ChatError && [400, 404].includes(history.error.status);
    const { title, text } = isUnknown ? strings.unknown : strings.failed;
    return (
      <Notice
        tone={isUnknown ? "warning" : "danger"}
        title={title}
        actions={
          !isUnknown && (
            <Button tone="primary" onClick={history.reload}>
              {strings.retry}
            </Button>
          )
        }
      >
        <p>{text}</p>
        {!isUnknown && <FailureDetails error={history.error} />}
      </Notice>
    );
  }
  const { balance, payments } = history.data;
  const sums = sumAll(payments);
  const totals = [
    [strings.balance, balance, "bg-line-strong"],
    [strings.paid, formatMils(sums.paid), "bg-link"],
    [strings.earned, formatMils(sums.earned), "bg-good"],
    ...(sums.refunded > 0 ? [[strings.refunded, formatMils(sums.refunded), "bg-line-strong"] as const] : []),
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-1 gap-3 sm:auto-cols-fr sm:grid-flow-col sm:grid-cols-none">
        {totals.map(([name, value, mark]) => (
          <div key={name} className="rounded-2xl border border-line bg-surface p-4">
            <dt className="flex items-center gap-2 text-sm text-ink-soft">
              <span aria-hidden className={`size-2.5 rounded-full ${mark}`} />
              {name}
            </dt>
            <dd className="mt-1 text-lg font-semibold tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {payments.length === 0 ? (
        <Notice
          title={strings.empty.title(account)}
          actions={
            hasShop && (
              <Link href="/articles" prefetch={false} className={buttonLook({ tone: "primary" })}>
                {strings.empty.action}
              </Link>
            )
          }
        >
          <p>{hasShop ? strings.empty.text : strings.empty.textWithoutShop}</p>
        </Notice>
      ) : (
        <>
          <section className="rounded-2xl border border-line bg-surface p-4 sm:p-5">
            <h2 className="mb-3 font-semibold">{strings.plotTitle}</h2>
            <PaymentPlot days={sumByDay(payments, DAYS, Date.now())} />
          </section>
          <section>
            <h2 className="mb-3 font-semibold">{strings.tableTitle}</h2>
            <PaymentTable payments={payments} />
          </section>
        </>
      )}
    </>
  );
}
