"use client";

import { clsx } from "clsx";
import { useEffect, useId, useState } from "react";
import { type TransferWallet, transferLinks, walletNames } from "../../../lib/wallet-links/index.ts";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { LAST_WALLET, orderWallets } from "../../../lib/wallet-links/last-wallet.ts";
import type { ClaimNews } from "../../../lib/x402/client/watch-claims.ts";
import { QrCode } from "../_session/qr-code.tsx";
import { Countdown } from "../_session/wallet-wait.tsx";
import { useWalletsHere } from "../_session/wallets-here.tsx";
import { Button, buttonLook } from "../_ui/button.tsx";
import { CopyText } from "../_ui/copy-button.tsx";
import { useFocusOnArrival } from "../_ui/focus-on-arrival.ts";
import { keepText, readKept } from "../_ui/kept-text.ts";
import { HiveAuthWallet } from "./hiveauth-wallet.tsx";
import { amountOf, type KeptClaim, nowMs } from "./kept-claims.ts";
import { strings } from "./transfer-strings.en.ts";

/** The stored name of HiveAuth, if one of its wallets was asked last. */
const HIVEAUTH = "hiveauth";

/** Shows where to send the price, by every wallet, what the page waits for, and for how long. */
export function TransferWait({
  claim,
  isServed,
  returns,
  onRenew,
  onLeave,
}: ClaimNews & {
  claim: KeptClaim;
  /** Shows a new claim, once the time of this one is up. */
  onRenew: () => void;
  onLeave: () => void;
}) {
  const box = useFocusOnArrival();
  const sentence = useId();
  const isOver = useIsOver(claim.endsAtMs);
  const isHere = isPhone();
  const { payTo: to, extra } = claim.offer;
  const amount = amountOf(claim.offer);
  const { hiveAuthRelay } = useWalletsHere();
  const [isHiveAuthFirst] = useState(() => readKept(LAST_WALLET) === HIVEAUTH);
  const hiveAuth = !isOver && hiveAuthRelay !== null && (
    <HiveAuthWallet
      key={extra.memo}
      claim={claim}
      relay={hiveAuthRelay}
      isHere={isHere}
      isFirst={isHiveAuthFirst}
      onChoose={() => keepText(LAST_WALLET, JSON.stringify(HIVEAUTH))}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a group of fields
    <div
      ref={box}
      role="group"
      aria-labelledby={sentence}
      tabIndex={-1}
      className="scroll-m-4 space-y-3 rounded-xl border border-line bg-raised p-4 text-sm outline-none"
    >
      <p id={sentence} className="font-medium [overflow-wrap:anywhere]">
        {isHere ? strings.send(amount, to) : strings.scan(amount, to)}
      </p>
      {isHiveAuthFirst && hiveAuth}
      {!isOver && <Wallets transfer={{ to, amount, memo: extra.memo }} isHere={isHere} />}
      {!isHiveAuthFirst && hiveAuth}
      <div role="status" className="space-y-2 [overflow-wrap:anywhere]">
        {returns.map(({ txId, operation, payer, amount: sent, cause, state }) => (
          <p key={`${txId}:${operation}`} className="text-warn">
            {strings.causes[cause](sent, payer)} {strings.states[state]}
          </p>
        ))}
        {returns.length > 0 && !isOver && <p>{strings.sendRight(amount)}</p>}
        {!isServed && <p>{strings.noServer}</p>}
        {isServed && returns.length === 0 && !isOver && <p>{strings.awaiting}</p>}
        {isOver && <p>{strings.over}</p>}
      </div>
      {!isOver && <Countdown end={claim.endsAtMs - performance.timeOrigin} left={strings.left} />}
      <div className="flex flex-wrap gap-2">
        {isOver && (
          <Button size="small" tone="primary" onClick={onRenew}>
            {strings.renew}
          </Button>
        )}
        <Button size="small" onClick={onLeave}>
          {strings.otherWay}
        </Button>
      </div>
    </div>
  );
}

/** The wallets with their links or codes, the one used last first, and the texts for any other wallet. */
function Wallets({
  transfer,
  isHere,
}: {
  transfer: { to: string; amount: string; memo: string };
  isHere: boolean;
}) {
  const [wallets] = useState(() => orderWallets(readKept(LAST_WALLET)));
  const [chosen, setChosen] = useState(wallets[0] ?? "keychain");
  const name = useId();
  const choose = (wallet: TransferWallet) => {
    setChosen(wallet);
    keepText(LAST_WALLET, JSON.stringify(wallet));
  };
  const links = transferLinks(transfer, isHere ? { returnTo: window.location.href } : {});
  const openers = wallets.map((wallet, index) => (
    <a
      key={wallet}
      href={links[wallet]}
      onClick={() => choose(wallet)}
      rel="noreferrer noopener"
      className={buttonLook({ tone: isHere && index === 0 ? "primary" : "quiet" }, "w-full")}
    >
      {strings.open(walletNames[wallet])}
    </a>
  ));
  return (
    <>
      {isHere && <div className="space-y-2">{openers}</div>}
      {!isHere && (
        <>
          <fieldset>
            <legend className="sr-only">{strings.wallets}</legend>
            <div className="grid grid-cols-3 gap-2">
              {wallets.map((wallet) => (
                <label
                  key={wallet}
                  className={clsx(
                    "flex h-11 min-w-0 cursor-pointer items-center justify-center rounded-lg border px-1 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring",
                    wallet === chosen
                      ? "border-line-strong bg-selected font-medium"
                      : "border-line bg-surface hover:border-line-strong",
                  )}
                >
                  <input
                    type="radio"
                    name={name}
                    className="sr-only"
                    checked={wallet === chosen}
                    onChange={() => choose(wallet)}
                  />
                  {walletNames[wallet]}
                </label>
              ))}
            </div>
          </fieldset>
          <QrCode text={links[chosen]} label={strings.code(walletNames[chosen])} />
          <details>
            <summary className="font-medium text-link pointer-coarse:py-3">{strings.here}</summary>
            <div className="mt-2 space-y-2">{openers}</div>
          </details>
        </>
      )}
      <details>
        <summary className="font-medium text-link pointer-coarse:py-3">{strings.other}</summary>
        <p className="mt-2">{strings.exactly}</p>
        <dl className="mt-2 grid grid-cols-[auto_1fr] items-center gap-x-3 gap-y-1 [&>dt]:text-ink-soft">
          <dt>{strings.account}</dt>
          <dd>
            <CopyText text={transfer.to} label={strings.copyAccount} />
          </dd>
          <dt>{strings.amount}</dt>
          <dd>
            <CopyText text={transfer.amount} label={strings.copyAmount} />
          </dd>
          <dt>{strings.memo}</dt>
          <dd>
            <CopyText text={transfer.memo} label={strings.copyMemo} />
          </dd>
        </dl>
      </details>
    </>
  );
}

/** Returns whether a time, in ms since 1970 by this device, has passed, and renders again when it does. */
function useIsOver(endsAtMs: number): boolean {
  const [overAtMs, setOverAt] = useState<number | null>(() => (endsAtMs <= nowMs() ? endsAtMs : null));
  useEffect(() => {
    const timer = setTimeout(() => setOverAt(endsAtMs), Math.max(0, endsAtMs - nowMs()));
    return () => clearTimeout(timer);
  }, [endsAtMs]);
  return overAtMs === endsAtMs;
}
