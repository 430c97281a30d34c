/** The text that an account signs to log in. */
export type Challenge = {
  message: string;
  /** In ISO 8601. */
  expiresAt: string;
};

export type SignedChallenge = {
  username: string;
  /** The message of the challenge, byte for byte. */
  message: string;
  /**
   * The signature in 130 lower-case hex digits: recovery byte (31 to 34), r, s; s at most half the curve's order.
   */
  signature: string;
};

/** A text for a wallet elsewhere to sign, such as one on a phone. */
export type WalletChallenge = Challenge & {
  /** Part of the address at which the wallet answers. */
  id: string;
  /** Gets the session; it stays on the page that asked. */
  secret: string;
};

export type Tokens = {
  accessToken: string;
  refreshToken: string;
  /** The end of the access token, in ISO 8601. */
  expiresAt: string;
};

export type RenewedTokens = Omit<Tokens, "refreshToken"> & {
  /** Present if the request contained one. */
  refreshToken?: string;
};

/** Tokens of the account whose wallet has signed. */
export type WalletLogin = Tokens & { username: string };
