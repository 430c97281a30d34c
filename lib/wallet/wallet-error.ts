/** A problem that the wallet's owner must solve. Its message contains no secret. */
export class WalletError extends Error {
  override readonly name = "WalletError";
}
