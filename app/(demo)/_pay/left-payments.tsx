"use client";

import { clsx } from "clsx";
import { CircleAlert, CircleCheck, Wallet, X } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useChainHere } from "../_session/chain-here.tsx";
import { Button, buttonLook } from "../_ui/button.tsx";
import { IconButton } from "../_ui/icon-button.tsx";
import { articleSubject, usePersonKey } from "./articles.ts";
import { listClaims } from "./kept-claims.ts";
import {
  forgetPayment,
  hidePayment,
  type OngoingPayment,
  orderOf,
  type PaymentState,
  reopenPayment,
  showPaid,
  useLeftPayments,
} from "./ongoing-payments.ts";
import { PayDialog } from "./pay-dialog.tsx";
import { resumeTransfer } from "./sent-payments.ts";
import { strings } from "./strings.en.ts";
import { listUnfinished, type Unfinished } from "./unfinished-payments.ts";
import { finishPayment, stopWaiting } from "./use-payment.ts";

const DONE_MS = 10_000;

/** Returns the subject of a payment that an earlier page sent. */
async function subjectOf({ target, title }: Pick<Unfinished, "target" | "title">) {
  const { pathname, searchParams } = new URL(target.url, location.href);
  const to = searchParams.get("to");
  if (to === null) return articleSubject({ slug: pathname.split("/").at(-1) ?? "", title });
  const { tipSubject } = await import("./tip-dialog.tsx");
  return tipSubject(to, target.url);
}

/** Finishes payments that earlier pages sent for the current user, and watches the claims that they showed. */
function EarlierPayments() {
  const chain = useChainHere();
  useEffect(() => {
    for (const unfinished of listUnfinished())
      void subjectOf(unfinished).then((subject) => finishPayment(unfinished, subject, chain));
    for (const claim of listClaims())
      void subjectOf(claim).then((subject) => resumeTransfer(claim.target, subject));
  }, [chain]);
  return null;
}

/**
 * Payments whose dialogs were closed, and those from earlier pages: the status of each, and a way back to it.
 */
export function LeftPayments() {
  const payments = useLeftPayments();
  const isInChat = usePathname().startsWith("/chat");
  return (
    <>
      <EarlierPayments key={usePersonKey()} />
      <section
        aria-label={strings.left.label}
        className={clsx(
          "fixed inset-x-3 z-40 mx-auto flex max-w-md flex-col gap-2",
          // In the chat the list takes the place of toasts, so that it covers neither the newest messages nor
          // the composer.
          isInChat ? "top-[72px]" : "bottom-3",
        )}
      >
        {payments.map(
          (payment) => !payment.isReopened && <LeftPayment key={payment.key} payment={payment} />,
        )}
      </section>
      {payments.map(
        (payment) =>
          payment.isReopened && (
            <PayDialog
              key={payment.key}
              subject={payment.subject}
              target={payment.target}
              amount={payment.amount}
              onClose={() => reopenPayment(payment.key, false)}
              onPaid={(paid) => {
                payment.subject.keep(paid);
                showPaid(payment, paid);
              }}
            />
          ),
      )}
    </>
  );
}

/** The status of one payment on one line. A finished payment disappears after a while. */
function LeftPayment({ payment }: { payment: OngoingPayment }) {
  const { key, state, subject } = payment;
  const isDone = state.kind === "paid";
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => forgetPayment(key), DONE_MS);
    return () => clearTimeout(timer);
  }, [isDone, key]);
  const address = isDone ? subject.address() : null;
  const Icon = isDone ? CircleCheck : state.kind === "failed" ? CircleAlert : Wallet;
  return (
    <div className="flex items-start gap-3 rounded-xl border border-line bg-raised p-3 text-sm shadow-lift">
      <Icon
        aria-hidden
        size={18}
        className={isDone ? "mt-0.5 shrink-0 text-good" : "mt-0.5 shrink-0 text-ink-soft"}
      />
      <div className="min-w-0 grow">
        <p role="status" className="[overflow-wrap:anywhere]">
          {textOf(payment)}
        </p>
        <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
          {!isDone && (
            <Button size="small" onClick={() => reopenPayment(key)}>
              {strings.left.show}
            </Button>
          )}
          {isAsking(state) && (
            <Button size="small" tone="plain" onClick={() => stopWaiting(key)}>
              {strings.left.stop}
            </Button>
          )}
          {address && (
            <Link href={address} className={buttonLook({ size: "small" })} onClick={() => forgetPayment(key)}>
              {strings.left.read}
            </Link>
          )}
        </div>
      </div>
      {(isDone || state.kind === "failed" || state.kind === "sending") && (
        <IconButton
          label={strings.left.hide}
          size="small"
          className="-my-1 -me-1"
          onClick={() => hidePayment(key)}
        >
          <X aria-hidden size={16} />
        </IconButton>
      )}
    </div>
  );
}

function textOf(payment: OngoingPayment): string {
  const { state, subject, amount } = payment;
  if (state.kind === "paid") return subject.done(amount);
  const order = orderOf(payment);
  if (state.kind === "busy" && payment.isTakenUp)
    return strings.left.finishing(amount, payment.payer.account);
  if (state.kind === "failed") return `${strings.failures[state.failure].title}: ${order}`;
  if (state.kind === "sending") return strings.left.sending(order);
  return strings.left[isAsking(state) ? "asks" : "paying"](order);
}

const isAsking = (state: PaymentState) => state.kind === "busy" && state.walletUntil !== null;
