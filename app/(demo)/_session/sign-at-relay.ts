import type { HiveAuthOptions } from "../../../lib/wallet-links/index.ts";
import { WalletError } from "./keychain.ts";
import { EXPIRED } from "./use-sign-in.ts";

/**
 * Has a wallet of HiveAuth sign a text for this page, and resolves to the signature in hex.
 * @throws WalletError if the wallet declined or the relay can't be used, `EXPIRED`, or the signal's reason.
 */
export async function signAtRelay(asked: Omit<HiveAuthOptions, "app">): Promise<string> {
  // Most users never need this part.
  const { HiveAuthError, signByHiveAuth } = await import("../../../lib/wallet-links/index.ts");
  try {
    return await signByHiveAuth({ ...asked, app: window.location.host });
  } catch (error) {
    if (!(error instanceof HiveAuthError)) throw error;
    if (error.code === "declined") throw new WalletError({ isCancelled: true });
    throw error.code === "expired" ? EXPIRED : new WalletError({ isUnreachable: true });
  }
}
