/**
 * Thrown if the wallet's owner declined or did not answer in time, or the relay cannot be used; `unconfirmed` if a wallet
 * was asked to send a transfer that may or may not have been sent.
 */
export class HiveAuthError extends Error {
  override readonly name = "HiveAuthError";
  readonly code: "declined" | "expired" | "relay_unavailable" | "unconfirmed";

  constructor(code: HiveAuthError["code"]) {
    super(`HiveAuth: ${code}`);
    this.code = code;
  }
}
