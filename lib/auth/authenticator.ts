import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import type { Challenge, Tokens } from "../contract/login.ts";
import { CodedError } from "../errors.ts";
import { checkPostingSignature, verifyAccessToken } from "../hive/access-token.ts";
import { isAccountName } from "../hive/account-name.ts";
import type { AuthorityCache } from "../hive/authority-cache.ts";
import { ChainError } from "../hive/chain-node.ts";
import { isEnough } from "../hive/posting-signature.ts";
import { log } from "../log.ts";
import type { Store } from "../store/store.ts";
import type { Challenges } from "./challenges.ts";
import { issueAccess, issuePair, type OpenedAccess } from "./issue-tokens.ts";
import type { LoginSession, LoginSessions } from "./login-sessions.ts";
import { orUnavailable } from "./or-unavailable.ts";
import { refuseLogin, remedies } from "./refuse-login.ts";
import type { ExternalIssuer, TokenIssuer } from "./token-issuer.ts";

/** The identity that a valid access token proves. */
type Identity = {
  /** The login session's id, or a digest of the signed text and the key. All access tokens of one sign-in share it. */
  id: string;
  /** The posting key, or null if an external issuer vouches for the account. */
  key: string | null;
  /** The app that signed the token itself, without a login here. */
  app?: string;
  /**
   * The start of the sign-in, in ms since 1970. A signed text states whole seconds, and counts as signed at
   * the end of that second.
   */
  madeAtMs: number;
};

export type Authenticator = {
  /** Creates a text to sign with the account's posting key, valid for one login within 5 minutes. */
  challenge(account: string): Challenge;
  /**
   * Opens a login session for the account whose posting key signed the challenge.
   * @throws CodedError `unauthorized`, `challenge_expired`, `auth_unavailable`
   */
  login(answer: {
    account: string;
    message: string;
    signature: string;
  }): Promise<{ sessionId: string; tokens: Tokens }>;
  /**
   * Exchanges a refresh token for the next pair of tokens. Using the same token twice ends its login session.
   * @throws CodedError `unauthorized`, `auth_unavailable`
   */
  refresh(refreshToken: string): Promise<Tokens>;
  /** Issues a new access token for a login session. @throws CodedError `unauthorized`, `auth_unavailable` */
  renew(sessionId: string): Promise<OpenedAccess>;
  /**
   * Returns the account of an open login session, after checking on the chain, if it answers, that the account
   * still has the key. @throws CodedError `unauthorized`
   */
  accountOf(sessionId: string | null): Promise<string>;
  /** Ends a login session and all its tokens. */
  endSession(sessionId: string): Promise<void>;
  /** Ends the login session of a refresh token. A token that was not issued here ends nothing. */
  endSessionOf(refreshToken: string): Promise<void>;
  /**
   * Returns the identity that the access token proves for the account. @throws CodedError `unauthorized`,
   * `auth_unavailable`
   */
  verifyIdentity(accessToken: unknown, account: string): Promise<Identity>;
};

/** Handles logins by signed challenge, and verifies every kind of access token. */
export function createAuthenticator(
  parts: IdentityParts & { challenges: Challenges; store: Store },
): Authenticator {
  const { authorities, challenges, issuer, sessions, store } = parts;

  /** Returns the login session after checking that the account still has the key that opened it. */
  const openSession = async (sessionId: string) => {
    const session = await sessions.read(sessionId);
    if (!session) return refuseLogin("session_over", null);
    const isLost = await orUnavailable(() => hasLost(parts, session));
    if (!isLost) return session;
    await sessions.end(sessionId);
    return refuseLogin("key_changed", session.account);
  };

  return {
    challenge: challenges.issue,

    async login({ account, message, signature }) {
      const open = challenges.read(message, account) ?? refuseLogin("challenge_invalid", account);
      if (open === "expired") return refuseLogin("challenge_expired", account, "challenge_expired");
      const checked = await orUnavailable(() =>
        checkPostingSignature(authorities, account, open.digest, signature),
      );
      if (!checked.isValid) return refuseLogin(checked.reason, account);
      // Stored as long as a login session, because a clock that is set back would make an old challenge valid
      // again.
      const ttlSeconds = open.secondsLeft + sessions.lifetimeSeconds;
      if (!(await store.setIfAbsent(`auth:nonce:${open.nonce}`, "used", ttlSeconds)))
        return refuseLogin("challenge_used", account);
      const { sessionId, refreshId } = await sessions.open({
        account,
        key: checked.key,
        openedAtMs: parts.now(),
      });
      return { sessionId, tokens: await issuePair(parts, { account, sessionId, refreshId }) };
    },

    async refresh(refreshToken) {
      const claims = (await issuer.verifyRefresh(refreshToken)) ?? refuseLogin("refresh_token_invalid", null);
      const { account } = await openSession(claims.sessionId);
      const next = await sessions.rotate(claims.sessionId, claims.tokenId);
      const refreshId = next ?? refuseLogin("refresh_token_reused", account);
      return issuePair(parts, { account, sessionId: claims.sessionId, refreshId });
    },

    async renew(sessionId) {
      const { account } = await openSession(sessionId);
      return issueAccess(issuer, account, sessionId);
    },

    async accountOf(sessionId) {
      const session = sessionId === null ? null : await sessions.read(sessionId);
      if (sessionId === null || !session) throw new CodedError("unauthorized");
      if (!(await hasLost(parts, session).catch(ignoreOutage))) return session.account;
      await sessions.end(sessionId);
      return refuseLogin("key_changed", session.account);
    },

    endSession: sessions.end,

    async endSessionOf(refreshToken) {
      const claims = await issuer.verifyRefresh(refreshToken);
      if (claims) await sessions.end(claims.sessionId);
    },

    verifyIdentity: (accessToken, account) => verifyIdentity(parts, accessToken, account),
  };
}

/**
 * Returns the identity of an external token. If the issuer names its sessions, all tokens of a session belong
 * to the same sign-in.
 */
function externalIdentity(token: string): Identity {
  const { sid, iat = 0 } = decodeJwt(token);
  const text = typeof sid === "string" && sid !== "" ? `session ${sid}` : `token ${token}`;
  const id = createHash("sha256").update(text).digest("base64url");
  return { id: `external.${id}`, key: null, madeAtMs: iat * 1000 + 999 };
}

/** Returns whether the account has replaced the posting key that opened the login session. */
async function hasLost(
  { authorities, hasLostKey }: Pick<IdentityParts, "authorities" | "hasLostKey">,
  { account, key, openedAtMs }: LoginSession,
): Promise<boolean> {
  const { authority, isFresh } = await authorities.read(account);
  if (isEnough(authority, key)) return false;
  if (!isFresh && isEnough((await authorities.reread(account)).authority, key)) return false;
  return hasLostKey(account, key, openedAtMs);
}

/**
 * Returns false for an expected error, and rethrows any other: logged-in users continue while the chain is
 * unreachable. The sign-in watch later ends the login sessions of replaced keys.
 */
function ignoreOutage(error: unknown): boolean {
  if (error instanceof CodedError || error instanceof ChainError) return false;
  throw error;
}

const LONGEST_JWT = 8192;
const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

type IdentityParts = {
  authorities: AuthorityCache;
  /**
   * Asks the chain whether an account has lost a key since it was proven. @throws CodedError
   * `chain_unavailable`
   */
  hasLostKey(account: string, key: string, provenAtMs: number): Promise<boolean>;
  sessions: LoginSessions;
  issuer: TokenIssuer;
  externalIssuer: ExternalIssuer | null;
  appIds: readonly string[];
  maxAgeSeconds: number;
  now: () => number;
};

/**
 * Verifies that the access token belongs to the account. The token is signed by an app, issued here, or
 * issued by the external issuer. Callers learn a reason only if they could derive it from the token and the
 * chain; the log always has it.
 * @throws CodedError `unauthorized`, or `auth_unavailable` if chain, issuer or store cannot be reached.
 */
async function verifyIdentity(parts: IdentityParts, token: unknown, account: string): Promise<Identity> {
  const found = await orUnavailable(() => readIdentity(parts, token, account));
  if (typeof found !== "string") return found;
  const tokenHash = typeof token === "string" ? createHash("sha256").update(token).digest("hex") : null;
  log().info(
    { reason: found, account: isAccountName(account) ? account : null, tokenHash },
    "access token refused",
  );
  throw new CodedError("unauthorized", { message: remedies[found] });
}

/** Returns the identity, or the reason why there is none. */
async function readIdentity(
  parts: IdentityParts,
  token: unknown,
  account: string,
): Promise<Identity | string> {
  if (typeof token !== "string" || token === "") return "missing";
  if (!isAccountName(account)) return "no_account_name";
  if (jwtShape.test(token)) return readJwtIdentity(parts, token, account);
  const verdict = await verifyAccessToken(token, {
    account,
    appIds: parts.appIds,
    maxAgeSeconds: parts.maxAgeSeconds,
    authorities: parts.authorities,
    nowMs: parts.now(),
  });
  if (!verdict.isValid) return verdict.reason;
  const { content, digest, key } = verdict;
  const madeAtMs = content.timestamp * 1000 + 999;
  // Two keys can sign the same text in the same second; those are two sign-ins.
  const id = createHash("sha256").update(digest).update(key).digest("base64url");
  return { id, key, app: content.signed_message.app, madeAtMs };
}

async function readJwtIdentity(
  parts: IdentityParts,
  token: string,
  account: string,
): Promise<Identity | string> {
  if (token.length > LONGEST_JWT) return "jwt_too_long";
  if (!parts.issuer.isOurs(token)) {
    const subject = parts.externalIssuer && (await parts.externalIssuer(token));
    if (!subject) return "jwt_invalid";
    return subject === account ? externalIdentity(token) : "wrong_account";
  }
  const claims = await parts.issuer.verifyAccess(token);
  if (!claims) return "jwt_invalid";
  if (claims.account !== account) return "wrong_account";
  const session = await parts.sessions.read(claims.sessionId);
  if (session?.account !== account) return "session_over";
  const { key, openedAtMs } = session;
  if (await hasLost(parts, session).catch(ignoreOutage)) return "key_changed";
  return { id: claims.sessionId, key, madeAtMs: openedAtMs };
}
