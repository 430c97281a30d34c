"use client";

import { clsx } from "clsx";
import { useRef, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { Dialog } from "../_ui/dialog.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { readTyped, writeAmount } from "./amounts.ts";
import { FlowInspector } from "./flow-inspector.tsx";
import type { Target } from "./pay.ts";
import { PayPanel } from "./pay-panel.tsx";
import { ReceiptCard } from "./receipt-card.tsx";
import { strings } from "./strings.en.ts";
import { sharedTipCounts } from "./tip-counts.ts";
import type { Paid } from "./use-payment.ts";

const presets = [10, 50, 100];

/** Chooses an amount, pays it, and shows the receipt. */
export function TipDialog({
  toUsername,
  postUrl,
  onClose,
}: {
  toUsername: string;
  postUrl: string;
  onClose: () => void;
}) {
  const [preset, setPreset] = useState<number | null>(10);
  const [typed, setTyped] = useState("");
  const first = useRef<HTMLInputElement>(null);
  const wanted = preset ?? readTyped(typed);
  // What is not typed to its end yet costs as much as the first choice, and can't be paid.
  const millis = wanted || 10;
  const isAmount = wanted !== null && wanted > 0;
  const [paid, setPaid] = useState<Paid | null>(null);
  const finish = (tip: Paid) => {
    const { count, total } = tip.body as { count?: number; total?: string };
    const postId = postIdOf(postUrl);
    if (postId !== null && count !== undefined && total !== undefined)
      sharedTipCounts.set(postId, { count, total });
    setPaid(tip);
  };
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={strings.tip.title(toUsername)}
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
          target={tipTarget(toUsername, millis, postUrl)}
          amount={`${writeAmount(millis)} HBD`}
          onPaid={finish}
          isReady={isAmount}
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
                      ? "border-accent-text bg-accent-wash font-medium"
                      : "border-line bg-raised hover:border-line-strong",
                  )}
                >
                  <input
                    ref={choice === 10 ? first : undefined}
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

/** The message that a link of this chat leads to; null for every other link. */
export function postIdOf(postUrl: string): string | null {
  const id = URL.canParse(postUrl, "http://here")
    ? new URL(postUrl, "http://here").searchParams.get("post")
    : null;
  return id !== null && /^[a-z0-9]{26}$/.test(id) ? id : null;
}

/** What is paid to tip somebody, for the message that the link leads to or as a person. */
export function tipTarget(to: string, millis: number, postUrl: string): Target {
  const post = postIdOf(postUrl);
  const query = new URLSearchParams({ to, amount: writeAmount(millis), ...(post !== null && { post }) });
  return { method: "POST", url: `/api/demo/tips?${query}` };
}
