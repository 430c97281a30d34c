import { createHash } from "node:crypto";
import dhive from "@hiveio/dhive";

export const postingKey = (account: string, role: "owner" | "active" | "posting" | "memo" = "posting") =>
  dhive.PrivateKey.fromLogin(account, "sandbox", role);

/**
 * One time for all tokens of a test process, so that another token for the same account represents the same
 * sign-in.
 */
const beganAt = Math.floor(Date.now() / 1000);

/** Signs as a wallet's sign-buffer call does. */
export function signText(text: string, key: dhive.PrivateKey): string {
  return key.sign(createHash("sha256").update(text).digest()).toString();
}

/**
 * Forms an access token as specified. `change` alters the payload before it is signed, and `finish`
 * afterwards. With `secondsAgo`, it represents an earlier sign-in of the same account.
 */
export function formAccessToken(
  account: string,
  options: {
    app?: string;
    type?: string;
    timestamp?: number;
    secondsAgo?: number;
    key?: dhive.PrivateKey;
    change?: (payload: Record<string, unknown>) => unknown;
    finish?: (signed: Record<string, unknown>) => unknown;
    encoding?: "base64url" | "base64";
  } = {},
): string {
  const payload = {
    signed_message: { type: options.type ?? "code", app: options.app ?? "hivegate" },
    authors: [account],
    timestamp: options.timestamp ?? beganAt - (options.secondsAgo ?? 0),
  };
  const changed = options.change?.(payload) ?? payload;
  const signature = signText(JSON.stringify(changed), options.key ?? postingKey(account));
  const signed = { ...changed, signatures: [signature] };
  const finished = options.finish?.(signed) ?? signed;
  return Buffer.from(JSON.stringify(finished)).toString(options.encoding ?? "base64url");
}

/**
 * Forms the proof of Ecency Mobile for an origin: signed now, with a fraction of a second in its time that differs
 * from that of every other proof.
 */
export function formSignInProof(
  account: string,
  {
    audience,
    app = "ecency.app",
    type = "login",
    secondsAgo = 0,
    key,
  }: { audience?: string; app?: string; type?: string; secondsAgo?: number; key?: dhive.PrivateKey },
): string {
  proofs += 1;
  return formAccessToken(account, {
    timestamp: Date.now() / 1000 - secondsAgo - proofs / 1_000_000,
    ...(key && { key }),
    change: (payload) => ({ ...payload, signed_message: { type, app, ...(audience && { audience }) } }),
  });
}

let proofs = 0;
