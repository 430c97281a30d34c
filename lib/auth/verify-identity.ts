import { createHash } from "node:crypto";
import { CodedError } from "../errors.ts";
import { verifyAccessToken } from "../hive/access-token.ts";
import { isAccountName } from "../hive/account-name.ts";
import type { AuthorityCache } from "../hive/authority-cache.ts";
import { ChainError } from "../hive/call-node.ts";
import { log } from "../log.ts";
import type { Challenges } from "./challenges.ts";
import type { ExternalIssuer } from "./external-issuer.ts";
import type { LoginSessions } from "./login-sessions.ts";
import type { TokenIssuer } from "./token-issuer.ts";

const LONGEST_JWT = 8192;
const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export type IdentityParts = {
  authorities: AuthorityCache;
  challenges: Challenges;
  sessions: LoginSessions;
  issuer: TokenIssuer;
  externalIssuer: ExternalIssuer | null;
  appIds: readonly string[];
  maxAgeSeconds: number;
  now: () => number;
};

/**
 * Makes sure that the access token belongs to the account: one that an app formed, one of ours, or one of the outside
 * issuer. All bad tokens are refused alike; the reason is in the log.
 * @throws CodedError `unauthorized`, or `auth_unavailable` when chain, issuer or store can't be asked.
 */
export async function verifyIdentity(parts: IdentityParts, token: unknown, account: string): Promise<void> {
  const reason = await orUnavailable(() => findFault(parts, token, account));
  if (reason === null) return;
  const tokenHash = typeof token === "string" ? createHash("sha256").update(token).digest("hex") : null;
  log().info({ reason, account: isAccountName(account) ? account : null, tokenHash }, "access token refused");
  throw new CodedError("unauthorized");
}

async function findFault(parts: IdentityParts, token: unknown, account: string): Promise<string | null> {
  if (typeof token !== "string" || token === "") return "missing";
  if (!isAccountName(account)) return "no_account_name";
  if (jwtShape.test(token)) return findJwtFault(parts, token, account);
  const verdict = await verifyAccessToken(token, {
    account,
    appIds: parts.appIds,
    maxAgeSeconds: parts.maxAgeSeconds,
    authorities: parts.authorities,
    nowMs: parts.now(),
  });
  if (!verdict.isValid) return verdict.reason;
  return parts.challenges.isOurs(verdict.content) ? "login_challenge" : null;
}

async function findJwtFault(parts: IdentityParts, token: string, account: string): Promise<string | null> {
  if (token.length > LONGEST_JWT) return "jwt_too_long";
  if (!parts.issuer.isOurs(token)) {
    const subject = parts.externalIssuer && (await parts.externalIssuer(token));
    if (!subject) return "jwt_invalid";
    return subject === account ? null : "wrong_account";
  }
  const claims = await parts.issuer.verifyAccess(token);
  if (!claims) return "jwt_invalid";
  if (claims.account !== account) return "wrong_account";
  const session = await parts.sessions.read(claims.sessionId);
  return session?.account === account ? null : "session_over";
}

/**
 * Whoever can't tell (chain, issuer, store) is no reason to refuse anybody.
 * @throws CodedError `auth_unavailable` for their failures; bugs pass as they are.
 */
export async function orUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CodedError || error instanceof ChainError)
      throw new CodedError("auth_unavailable", { cause: error });
    throw error;
  }
}
