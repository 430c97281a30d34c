"use client";

import { clsx } from "clsx";
import { useRef, useState } from "react";
import type { TipSum } from "../../../lib/contract/payment-answers.ts";
import { MATTERMOST_ID } from "../../../lib/mattermost-id.ts";
import { formatMils, type Mils, toMils } from "../../../lib/mils.ts";
import { Button } from "../_ui/button.tsx";
import { Dialog } from "../_ui/dialog.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { toast } from "../_ui/toast.tsx";
import { readTyped, writeAmount } from "./amounts.ts";
import { FlowInspector } from "./flow-inspector.tsx";
import { findLeft, type Paid, type Subject } from "./ongoing-payments.ts";
import { PayPanel } from "./pay-panel.tsx";
import { ReceiptCard } from "./receipt-card.tsx";
import { strings } from "./strings.en.ts";
import type { Target } from "./target.ts";
import { sharedTipCounts } from "./tip-counts.ts";

const presets = [toMils(10), toMils(50), toMils(100)];
const usual = toMils(10);

/** Reports a tip, such as "0.010 HBD", outside the conversation with its recipient. */
type TellTip = (tip: { to: string; amount: string; payer: string }) => void;

/** A dialog to choose an amount, pay it, and see the receipt. */
export function TipDialog({
  toUsername,
  mils: proposed = null,
  postUrl,
  tell,
  onClose,
}: {
  toUsername: string;
  /** The preselected amount. */
  mils?: Mils | null;
  postUrl: string;
  /** Reports the tip outside the conversation with its recipient, in addition to the gateway's notice. */
  tell?: TellTip | undefined;
  onClose: () => void;
}) {
  // A tip in progress is shown in its current state.
  const [begun] = useState(() => beganTip(toUsername, postUrl) ?? proposed);
  const [atFirst] = useState(() => (presets.includes(begun ?? usual) ? (begun ?? usual) : null));
  const [preset, setPreset] = useState(atFirst);
  const [typed, setTyped] = useState(begun === null ? "" : writeAmount(begun));
  const first = useRef<HTMLInputElement>(null);
  const wanted = preset ?? readTyped(typed);
  // An unfinished amount is priced like the default one, and can't be paid.
  const isAmount = wanted !== null && wanted > 0;
  const mils = isAmount ? wanted : usual;
  const [paid, setPaid] = useState<Paid | null>(null);
  const subject = tipSubject(toUsername, postUrl, tell);
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={subject.title}
      description={strings.tip.text}
      className="scroll-pb-24"
      initialFocus={first}
    >
      {paid ? (
        <div className="space-y-4">
          <p role="status" className="font-medium">
            {strings.tip.done(paid.receipt.amount, toUsername)}
          </p>
          <ReceiptCard receipt={paid.receipt} />
          <FlowInspector steps={paid.flow} />
          <Button tone="primary" className="w-full" onClick={onClose}>
            {strings.tip.close}
          </Button>
        </div>
      ) : (
        <PayPanel
          target={tipTarget(toUsername, mils, postUrl)}
          subject={subject}
          amount={formatMils(mils)}
          onPaid={(tip) => {
            subject.keep(tip);
            setPaid(tip);
          }}
          isReady={isAmount}
          lastStep={strings.tip.lastStep(toUsername)}
        >
          <fieldset>
            <legend className="mb-2 text-sm font-medium">{strings.tip.amount}</legend>
            <div className="grid grid-cols-4 gap-2">
              {[...presets, null].map((choice) => (
                <label
                  key={choice}
                  className={clsx(
                    "flex h-11 cursor-pointer items-center justify-center rounded-lg border text-sm tabular-nums has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring",
                    choice === preset
                      ? "border-line-strong bg-selected font-medium"
                      : "border-line bg-raised hover:border-line-strong",
                  )}
                >
                  <input
                    ref={choice === atFirst ? first : undefined}
                    type="radio"
                    name="tip"
                    className="sr-only"
                    checked={choice === preset}
                    onChange={() => setPreset(choice)}
                  />
                  {choice === null ? strings.tip.other : writeAmount(choice)}
                </label>
              ))}
            </div>
            {preset === null && (
              <TextField
                className="mt-3"
                label={strings.tip.otherLabel}
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
                error={typed !== "" && !isAmount ? strings.guard.malformed : undefined}
                inputMode="decimal"
                autoComplete="off"
              />
            )}
          </fieldset>
        </PayPanel>
      )}
    </Dialog>
  );
}

/**
 * Describes a tip as the subject of a payment, with a link to the tipped message. The gateway notifies the
 * recipient.
 */
export const tipSubject = (to: string, postUrl: string, tell?: TellTip): Subject => ({
  title: strings.tip.title(to),
  order: (amount) => strings.order.tip(amount, to),
  keep({ body, receipt }) {
    tell?.({ to, amount: receipt.amount, payer: receipt.payer });
    const { count, total, tippers = [], isTold } = body as Partial<TipSum> & { isTold?: boolean };
    if (isTold === false) toast.error(strings.tip.untold(to));
    const postId = postIdOf(postUrl);
    if (postId !== null && count !== undefined && total !== undefined)
      sharedTipCounts.set(postId, { count, total, tippers });
  },
  done: (amount) => strings.tip.done(amount, to),
  address: () => null,
});

/**
 * Returns the amount of a tip for the same target that continues while its dialog is closed, or null.
 */
function beganTip(to: string, postUrl: string): Mils | null {
  const of = (url: string) => new URLSearchParams(url.split("?")[1]);
  const wanted = of(tipTarget(to, usual, postUrl).url);
  const left = findLeft(({ url }) => ["to", "post"].every((name) => of(url).get(name) === wanted.get(name)));
  return left ? readTyped(of(left.target.url).get("amount") ?? "") : null;
}

/** Returns the id of the message that a link of this chat leads to, or null for any other link. */
export function postIdOf(postUrl: string): string | null {
  const id = URL.canParse(postUrl, "http://here")
    ? new URL(postUrl, "http://here").searchParams.get("post")
    : null;
  return id !== null && MATTERMOST_ID.test(id) ? id : null;
}

/** Returns the target of a tip for the message that the link leads to, or for a person. */
export function tipTarget(to: string, mils: Mils, postUrl: string): Target {
  const post = postIdOf(postUrl);
  const query = new URLSearchParams({
    ...{ to, amount: writeAmount(mils) },
    ...(post !== null && { post }),
  });
  return { method: "POST", url: `/api/demo/tips?${query}` };
}
