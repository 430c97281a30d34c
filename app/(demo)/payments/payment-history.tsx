"use client";

import Link from "next/link";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { writeAmount } from "../_pay/amounts.ts";
import { loadHistory } from "../_pay/load-history.ts";
import { useLoaded } from "../_pay/use-loaded.ts";
import { FailureDetails } from "../_session/unavailable.tsx";
import { Button, buttonLook } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { PaymentPlot, sumAll, sumByDay } from "./payment-plot.tsx";
import { PaymentTable } from "./payment-table.tsx";
import { strings } from "./strings.en.ts";

const DAYS = 14;

/** What one account paid and earned: sums, plot, and table. */
export function PaymentHistory({ account }: { account: string }) {
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
    [strings.paid, `${writeAmount(sums.paid)} HBD`, "bg-accent"],
    [strings.earned, `${writeAmount(sums.earned)} HBD`, "bg-good"],
  ] as const;
  return (
    <>
      <dl className="grid grid-cols-1 gap-3 sm:grid-cols-3">
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
            <Link href="/articles" prefetch={false} className={buttonLook({ tone: "primary" })}>
              {strings.empty.action}
            </Link>
          }
        >
          <p>{strings.empty.text}</p>
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
