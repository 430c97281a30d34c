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
