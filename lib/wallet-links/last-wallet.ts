import { type TransferWallet, walletNames } from "./transfer-links.ts";

/** The key under which pages of one origin store, as JSON, the wallet that paid last. */
export const LAST_WALLET = "x402-wallet";

/** Returns the wallets that send transfers, the one used last first. */
export function orderWallets(last: unknown): readonly TransferWallet[] {
  const wallets = Object.keys(walletNames) as TransferWallet[];
  return wallets.toSorted((one, other) => Number(other === last) - Number(one === last));
}
