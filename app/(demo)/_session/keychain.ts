import { strings } from "./strings.en.ts";

const texts = strings.walletErrors;

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

/** Thrown when the wallet is missing or its user said no; `message` is fit to be shown. */
export class WalletError extends Error {
  readonly isCancelled: boolean;

  constructor(message: string, isCancelled: boolean) {
    super(message);
    this.name = "WalletError";
    this.isCancelled = isCancelled;
  }
}

export function hasKeychain(): boolean {
  return typeof window !== "undefined" && window.hive_keychain !== undefined;
}

function ask<T>(request: (keychain: Keychain, callback: Callback) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const keychain = window.hive_keychain;
    if (!keychain) {
      reject(new WalletError(texts.missing, false));
      return;
    }
    request(keychain, (answer) => {
      if (answer.success) resolve(answer.result as T);
      else
        reject(
          answer.error === "user_cancel"
            ? new WalletError(texts.cancelled, true)
            : new WalletError(texts.refused, false),
        );
    });
  });
}

/** The posting signature of a text (hex), by the Hive Keychain extension. */
export function signMessageWithKeychain(username: string, message: string): Promise<string> {
  return ask((keychain, callback) => keychain.requestSignBuffer(username, message, "Posting", callback));
}

/** The transaction with the active signature added, by the Hive Keychain extension; nothing is broadcast. */
export function signTransactionWithKeychain<T extends object>(
  username: string,
  transaction: object,
): Promise<T> {
  return ask((keychain, callback) => keychain.requestSignTx(username, transaction, "Active", callback));
}
