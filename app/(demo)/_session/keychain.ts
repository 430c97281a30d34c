import { useEffect, useState } from "react";

type Answer = { success: boolean; result?: unknown; message?: string; error?: string };
type Callback = (answer: Answer) => void;

type Keychain = {
  requestSignBuffer(account: string, message: string, role: "Posting", callback: Callback): void;
  requestSignTx(account: string, transaction: object, role: "Active", callback: Callback): void;
};

declare global {
  interface Window {
    hive_keychain?: Keychain;
  }
}

/** Thrown if the wallet is missing or did not sign. */
export class WalletError extends Error {
  override readonly name = "WalletError";
  readonly isCancelled: boolean;
  /** True if the wallet has not answered the previous question. */
  readonly isStillAsking: boolean;
  /** True if the server between page and wallet does not answer. */
  readonly isUnreachable: boolean;
  /** The wallet's own message. */
  readonly said: string | null;

  constructor({
    isCancelled = false,
    isStillAsking = false,
    isUnreachable = false,
    said = null,
  }: {
    isCancelled?: boolean;
    isStillAsking?: boolean;
    isUnreachable?: boolean;
    said?: string | null;
  } = {}) {
    super();
    this.isCancelled = isCancelled;
    this.isStillAsking = isStillAsking;
    this.isUnreachable = isUnreachable;
    this.said = said;
  }
}

/** Time in which the extension injects itself after the page has loaded. */
const TURNS_UP_MS = 1000;
const LOOK_MS = 100;

/** Returns whether the wallet is present by now. */
export const hasKeychain = (): boolean => typeof window !== "undefined" && window.hive_keychain !== undefined;

/**
 * Returns whether the wallet is missing, as `look` found after a second. A wallet that appears later corrects
 * the result.
 */
export function useMissingKeychain(): { isMissing: boolean; look: () => Promise<boolean> } {
  const [isMissing, setIsMissing] = useState(false);
  useEffect(() => {
    if (!isMissing) return;
    const timer = setInterval(() => hasKeychain() && setIsMissing(false), LOOK_MS);
    return () => clearInterval(timer);
  }, [isMissing]);
  const look = async () => {
    for (let waitedMs = 0; !hasKeychain() && waitedMs < TURNS_UP_MS; waitedMs += LOOK_MS)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    setIsMissing(!hasKeychain());
    return hasKeychain();
  };
  return { isMissing, look };
}

/**
 * The question that the wallet has not answered. The wallet continues to show it after the page stopped
 * waiting.
 */
let open: { isTold: boolean } | null = null;

function ask<T>(
  signal: AbortSignal,
  request: (keychain: Keychain, callback: Callback) => void,
  onLate?: () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const keychain = window.hive_keychain;
    if (!keychain) {
      reject(new WalletError());
      return;
    }
    // An open question is reported once: a wallet that never answers must not lock its owner out.
    if (open && !open.isTold) {
      open.isTold = true;
      reject(new WalletError({ isStillAsking: true }));
      return;
    }
    const question = { isTold: false };
    open = question;
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    request(keychain, (answer) => {
      if (open === question) open = null;
      // If the page no longer waits, resolving has no effect: a late signature is not used.
      if (answer.success && signal.aborted) onLate?.();
      if (answer.success) resolve(answer.result as T);
      else reject(errorOf(answer));
    });
  });
}

function errorOf({ error, message }: Answer): WalletError {
  return new WalletError({
    isCancelled: error === "user_cancel",
    said: message ? message.slice(0, 300) : null,
  });
}

/**
 * Returns the posting signature (hex) of a text from the Hive Keychain extension.
 * @throws WalletError, or the signal's reason
 */
export function signMessageWithKeychain(
  username: string,
  message: string,
  signal: AbortSignal,
): Promise<string> {
  return ask(signal, (keychain, callback) =>
    keychain.requestSignBuffer(username, message, "Posting", callback),
  );
}

/**
 * Returns the transaction with the active signature from the Hive Keychain extension, without broadcasting
 * it. `onLate` runs if the wallet signs after the page stopped waiting.
 * @throws WalletError, or the signal's reason
 */
export function signTransactionWithKeychain<T extends object>(
  username: string,
  transaction: object,
  { signal, onLate }: { signal: AbortSignal; onLate: () => void },
): Promise<T> {
  return ask(
    signal,
    (keychain, callback) => keychain.requestSignTx(username, transaction, "Active", callback),
    onLate,
  );
}
