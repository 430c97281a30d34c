"use client";

import { TimerOff, Wallet } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { useFocusOnArrival } from "../_ui/focus-on-arrival.ts";
import { Notice } from "../_ui/notice.tsx";
import { strings } from "./wallet-strings.en.ts";
import type { Way } from "./way.ts";

/** The site with every version of the wallet, also those for phones. */
export const KEYCHAIN_SITE = "https://hive-keychain.com";
const CHROME_STORE =
  "https://chromewebstore.google.com/detail/hive-keychain/jcacnejopjdphbnjgfaaobbfafkihpep";
const FIREFOX_STORE = "https://addons.mozilla.org/firefox/addon/hive-keychain/";

/** Returns the download address of the wallet for a browser, by its user agent. */
export function keychainAddress(userAgent: string): string {
  if (/Mobi|Android/.test(userAgent)) return KEYCHAIN_SITE;
  if (/Firefox\//.test(userAgent)) return FIREFOX_STORE;
  return /Chrome\//.test(userAgent) ? CHROME_STORE : KEYCHAIN_SITE;
}

/** Says that the wallet is not in this browser, and where to get it. */
export function KeychainMissing() {
  return (
    <>
      {strings.missing}{" "}
      <a
        href={keychainAddress(navigator.userAgent)}
        target="_blank"
        rel="noreferrer noopener"
        className="whitespace-nowrap underline"
      >
        {strings.get}
      </a>
    </>
  );
}

const secondsTo = (end: number) => Math.max(0, Math.ceil((end - performance.now()) / 1000));

/** The time that is left until `end`, as in `performance.now()`. */
export function Countdown({ end, left }: { end: number; left: (time: string) => string }) {
  const [seconds, setSeconds] = useState(() => secondsTo(end));
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsTo(end)), 500);
    return () => clearInterval(timer);
  }, [end]);
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return <p className="mt-2 text-ink-soft tabular-nums">{left(time)}</p>;
}

const LONG_MS = 10_000;

/** Returns whether the component has been shown for so long that a wallet may be missing or hidden. */
export function useLongWait(): boolean {
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLong;
}

/**
 * Shown while the wallet asks its owner: what it asks, for how long, where to look if no answer arrives, and
 * the way back.
 */
export function WalletWait({
  asks,
  end,
  left = strings.left,
  onCancel,
}: {
  asks: string;
  /** The time, as in `performance.now()`, after which the wallet's signature is too late. */
  end: number;
  /** Formats the remaining time, such as "4:59". */
  left?: (time: string) => string;
  onCancel: () => void;
}) {
  const isLong = useLongWait();
  const box = useFocusOnArrival();
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="scroll-m-4 rounded-xl border border-warn/50 bg-warn-wash p-4 text-sm outline-none"
    >
      <div role="status" className="flex items-start gap-3">
        <Wallet aria-hidden size={18} className="mt-0.5 shrink-0 text-warn" />
        <div className="min-w-0 space-y-2">
          <p className="font-medium [overflow-wrap:anywhere]">{asks}</p>
          {isLong && <p>{strings.noAnswer}</p>}
        </div>
      </div>
      <Countdown end={end} left={left} />
      <Button size="small" className="mt-3" onClick={onCancel}>
        {strings.cancel}
      </Button>
    </div>
  );
}

/** Says that the signature was too late, with a button that requests a new text to sign. */
export function SignedTooLate({ way, onAskAgain }: { way: Way; onAskAgain: () => void }) {
  const { title, texts, askAgain } = strings.tooLate;
  return (
    <Notice
      icon={<TimerOff aria-hidden size={28} />}
      title={title}
      actions={
        <Button tone="primary" autoFocus onClick={onAskAgain}>
          {askAgain}
        </Button>
      }
    >
      {way === "keychain" ? texts.keychain : texts.elsewhere}
    </Notice>
  );
}
