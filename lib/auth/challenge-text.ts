import { CHALLENGE_SECONDS } from "../contract/limits.ts";

/** Maximum difference between the clocks of gateways that share a secret. */
export const CHALLENGE_SKEW_SECONDS = 60;

/**
 * Writes the text of a login challenge in the format of HiveSigner tokens. It names the site, the effect of the
 * signature and its expiry, so that the signer can compare them with the page.
 */
export function writeChallenge(challenge: {
  /** Host and port of the site. */
  host: string;
  purpose: string;
  account: string;
  nonce: string;
  /** In seconds since 1970. */
  timestamp: number;
}): { message: string; expires: string } {
  const { host, purpose, account, nonce, timestamp } = challenge;
  const expires = new Date((timestamp + CHALLENGE_SECONDS) * 1000).toISOString();
  const signed_message = { type: "login", app: host, purpose, expires, nonce };
  return { message: JSON.stringify({ signed_message, authors: [account], timestamp }), expires };
}
