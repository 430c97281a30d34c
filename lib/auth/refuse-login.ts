import { CodedError } from "../errors.ts";
import { log } from "../log.ts";

/**
 * Messages for honest callers. They do not help anyone guess: the time is in the token, and accounts and
 * their public keys are on the chain.
 */
export const remedies: Readonly<Record<string, string>> = {
  too_old: "The access token is too old: sign a new one.",
  from_the_future:
    "The access token is dated in the future: give the timestamp in seconds, by a correct clock.",
  account_unknown: "The chain has no account of this name.",
  key_not_posting: "The signature is not of the account's posting key.",
  ended_by_owner: "The account's owner has ended this sign-in.",
};

/** Logs why a login is refused, and refuses it. @throws CodedError `unauthorized`, `challenge_expired` */
export function refuseLogin(
  reason: string,
  account: string | null,
  code: "unauthorized" | "challenge_expired" = "unauthorized",
): never {
  log().info({ reason, account }, "login refused");
  throw new CodedError(code, { message: remedies[reason] });
}
