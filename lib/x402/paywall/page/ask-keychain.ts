import type { UnsignedTransfer } from "../../client/build-transfer.ts";
import { fill } from "../payment-page-texts.ts";
import { texts } from "./data.ts";
import { byId, say } from "./elements.ts";

/** The answer of the Hive Keychain extension. */
type KeychainAnswer = {
  success?: boolean;
  result?: { signatures: string[] };
  error?: string;
  message?: unknown;
};

type Keychain = {
  requestSignTx(
    account: string,
    transaction: UnsignedTransfer,
    role: "Active",
    callback: (answer: KeychainAnswer | undefined) => void,
  ): void;
};

/** The time after which the page says where to look for the wallet's window. */
const LONG_MS = 10_000;
const TICK_MS = 500;
const MAX_MESSAGE_CHARACTERS = 300;

/** The request that Keychain has not answered, whose window stays open even when the page no longer waits. */
let unanswered: { isMentioned: boolean } | null = null;

/** Returns the extension, which adds itself to the page some time after it has loaded. */
export function findKeychain(): Keychain | undefined {
  return (globalThis as { hive_keychain?: Keychain }).hive_keychain;
}

/**
 * Asks Keychain to sign a transfer, and shows the time left for its answer. `isIdle` returns whether the page
 * is doing nothing else when a late signature arrives.
 * @throws Error with a sentence for the payer
 */
export function askKeychain(
  account: string,
  transfer: UnsignedTransfer,
  { leftMs, isIdle }: { leftMs: number; isIdle: () => boolean },
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    // Said only once, because a wallet that never answers must not lock its owner out.
    if (unanswered && !unanswered.isMentioned) {
      unanswered.isMentioned = true;
      reject(new Error(texts.stillAsking));
      return;
    }
    const question = { isMentioned: false };
    unanswered = question;
    const [[, { amount, to }]] = transfer.operations;
    say(fill(texts.asks, { amount, payee: to }));
    let isOver = false;
    const stopWaiting = showWaiting(leftMs, (reason) => end(() => reject(new Error(reason))));
    const end = (settle: () => void) => {
      isOver = true;
      stopWaiting();
      settle();
    };
    findKeychain()?.requestSignTx(account, transfer, "Active", (answer) => {
      if (unanswered === question) unanswered = null;
      const signatures = answer?.success ? answer.result?.signatures : undefined;
      // The page no longer waits for this signature, so it pays nothing, and a later request stays open.
      if (isOver && signatures && isIdle()) say(texts.late);
      if (isOver) return;
      end(() => (signatures ? resolve(signatures) : reject(new Error(describeRefusal(answer, account)))));
    });
  });
}

/**
 * Shows the time left, and calls `onEnd` with the reason once it is up or the payer cancels. Returns the
 * function that stops it.
 */
function showWaiting(leftMs: number, onEnd: (reason: string) => void): () => void {
  const startedAt = performance.now();
  const tick = () => {
    const waitedMs = performance.now() - startedAt;
    const seconds = Math.ceil((leftMs - waitedMs) / 1000);
    if (seconds <= 0) {
      onEnd(texts.ranOut);
      return;
    }
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    byId("left").textContent = fill(texts.left, { time });
    byId("long").hidden = waitedMs < LONG_MS;
  };
  const timer = setInterval(tick, TICK_MS);
  const waiting = byId("waiting");
  byId("cancel").onclick = () => onEnd(texts.stopped);
  waiting.hidden = false;
  tick();
  waiting.focus({ preventScroll: true });
  waiting.scrollIntoView({ block: "nearest" });
  return () => {
    clearInterval(timer);
    waiting.hidden = true;
  };
}

function describeRefusal(answer: KeychainAnswer | undefined, account: string): string {
  const reason = answer?.error === "user_cancel" ? fill(texts.cancelled, { account }) : texts.unsigned;
  if (!answer?.message) return reason;
  return reason + fill(texts.says, { said: String(answer.message).slice(0, MAX_MESSAGE_CHARACTERS) });
}
