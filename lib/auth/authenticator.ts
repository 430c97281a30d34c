import { createHash, randomUUID } from "node:crypto";
import type { Challenge, Tokens } from "../contract/login.ts";
import { CodedError } from "../errors.ts";
import { checkPostingSignature, isEnough, verifyAccessToken } from "../hive/access-token.ts";
import { isAccountName } from "../hive/account-name.ts";
import type { AuthorityCache } from "../hive/accounts.ts";
import { ChainError } from "../hive/chain-node.ts";
import { log } from "../log.ts";
import type { Store } from "../store/store.ts";
import type { Challenges } from "./challenges.ts";
import type { LoginSessions } from "./login-sessions.ts";
import type { ExternalIssuer, TokenIssuer } from "./token-issuer.ts";

type AccessToken = Pick<Tokens, "accessToken" | "expiresAt">;

export type Authenticator = {
  /** A text to be signed with the account's posting key, good for one login within 5 minutes. */
  challenge(account: string): Challenge;
  /**
   * Opens a session for the account whose posting key signed the challenge.
   * @throws CodedError `unauthorized`, `challenge_expired`, `auth_unavailable`
   */
  login(answer: {
    account: string;
    message: string;
    signature: string;
  }): Promise<{ sessionId: string; tokens: Tokens }>;
  /**
   * The next pair of tokens for a refresh token, which is used up by this.
   * @throws CodedError `unauthorized` (the second use of a token also ends its session), `auth_unavailable`
   */
  refresh(refreshToken: string): Promise<Tokens>;
  /** A new access token for a session. @throws CodedError `unauthorized`, `auth_unavailable` */
  renew(sessionId: string): Promise<AccessToken>;
  /** The account of an open session. @throws CodedError `unauthorized` */
  accountOf(sessionId: string | null): Promise<string>;
  /** Ends a session and all its tokens. */
  endSession(sessionId: string): Promise<void>;
  /** Ends the session that a refresh token belongs to; a token that is none of ours ends nothing. */
  endSessionOf(refreshToken: string): Promise<void>;
  /** @throws CodedError `unauthorized`, `auth_unavailable` */
  verifyIdentity(accessToken: unknown, account: string): Promise<ProvenIdentity>;
};

/** How somebody proved to be an account. */
export type ProvenIdentity = {
  /** Names the sign-in: the same for each access token of a login of ours, and for each writing of another token by the same key. */
  id: string;
  /** The posting key that signed; null where an external issuer vouches. */
  key: string | null;
  /** The login of ours, where it is one. */
  sessionId: string | null;
};

/** Logins by signed challenge, and the check of every kind of access token. */
export function createAuthenticator(
  parts: IdentityParts & { challenges: Challenges; store: Store },
): Authenticator {
  const { authorities, challenges, issuer, sessions, store } = parts;

  const refuse = (
    reason: string,
    account: string | null,
    code: "unauthorized" | "challenge_expired" = "unauthorized",
  ): never => {
    log().info({ reason, account }, "login refused");
    throw new CodedError(code, { message: remedies[reason] });
  };

  const issueAccess = async (account: string, sessionId: string): Promise<AccessToken> => {
    const access = await issuer.issueAccess({ account, sessionId, tokenId: randomUUID() });
    return { accessToken: access.token, expiresAt: access.expiresAt };
  };
  const issuePair = async (account: string, sessionId: string, refreshId: string): Promise<Tokens> => ({
    ...(await issueAccess(account, sessionId)),
    refreshToken: await issuer.issueRefresh(
      { account, sessionId, tokenId: refreshId },
      sessions.lifetimeSeconds,
    ),
  });

  /** The session, after making sure that the account still holds the key that opened it. */
  const openSession = async (sessionId: string) => {
    const session = await sessions.read(sessionId);
    if (!session) return refuse("session_over", null);
    const isHeld = await orUnavailable(async () => {
      const { authority, isFresh } = await authorities.read(session.account);
      if (isEnough(authority, session.key) || isFresh) return isEnough(authority, session.key);
      return isEnough((await authorities.reread(session.account)).authority, session.key);
    });
    if (isHeld) return session;
    await sessions.end(sessionId);
    return refuse("key_changed", session.account);
  };

  return {
    challenge: challenges.issue,

    async login({ account, message, signature }) {
      const open = challenges.read(message, account) ?? refuse("challenge_invalid", account);
      if (open === "expired") return refuse("challenge_expired", account, "challenge_expired");
      const checked = await orUnavailable(() =>
        checkPostingSignature(authorities, account, open.digest, signature),
      );
      if (!checked.isValid) return refuse(checked.reason, account);
      // Kept as long as the session it opened: a clock that is set back makes an old challenge valid again.
      const ttlSeconds = open.secondsLeft + sessions.lifetimeSeconds;
      if (!(await store.setIfAbsent(`auth:nonce:${open.nonce}`, "used", ttlSeconds)))
        return refuse("challenge_used", account);
      const { sessionId, refreshId } = await sessions.open({ account, key: checked.key });
      return { sessionId, tokens: await issuePair(account, sessionId, refreshId) };
    },

    async refresh(refreshToken) {
      const claims = (await issuer.verifyRefresh(refreshToken)) ?? refuse("refresh_token_invalid", null);
      const { account } = await openSession(claims.sessionId);
      const next = await sessions.rotate(claims.sessionId, claims.tokenId);
      return issuePair(account, claims.sessionId, next ?? refuse("refresh_token_reused", account));
    },

    async renew(sessionId) {
      const { account } = await openSession(sessionId);
      return issueAccess(account, sessionId);
    },

    async accountOf(sessionId) {
      const session = sessionId === null ? null : await sessions.read(sessionId);
      if (!session) throw new CodedError("unauthorized");
      return session.account;
    },

    endSession: sessions.end,

    async endSessionOf(refreshToken) {
      const claims = await issuer.verifyRefresh(refreshToken);
      if (claims) await sessions.end(claims.sessionId);
    },

    verifyIdentity: (accessToken, account) => verifyIdentity(parts, accessToken, account),
  };
}

const LONGEST_JWT = 8192;
const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/;

type IdentityParts = {
  authorities: AuthorityCache;
  sessions: LoginSessions;
  issuer: TokenIssuer;
  externalIssuer: ExternalIssuer | null;
  appIds: readonly string[];
  maxAgeSeconds: number;
  now: () => number;
};

/**
 * The sentences for honest callers. They help nobody to guess: the time stands in the token, and accounts and their public
 * keys stand on the chain.
 */
const remedies: Readonly<Record<string, string>> = {
  too_old: "The access token is too old: sign a new one.",
  account_unknown: "The chain has no account of this name.",
  key_not_posting: "The signature is not of the account's posting key.",
};

/**
 * Ensures that the access token belongs to the account: one that an app formed, one of ours, or one of the external
 * issuer. The caller gets a reason only where it could work it out from the token and the chain; the log has it always.
 * @throws CodedError `unauthorized`, or `auth_unavailable` when chain, issuer or store can't be asked.
 */
async function verifyIdentity(
  parts: IdentityParts,
  token: unknown,
  account: string,
): Promise<ProvenIdentity> {
  const found = await orUnavailable(() => proveIdentity(parts, token, account));
  if (typeof found !== "string") return found;
  const tokenHash = typeof token === "string" ? createHash("sha256").update(token).digest("hex") : null;
  log().info(
    { reason: found, account: isAccountName(account) ? account : null, tokenHash },
    "access token refused",
  );
  throw new CodedError("unauthorized", { message: remedies[found] });
}

/** The proof, or what is wrong with the token. */
async function proveIdentity(
  parts: IdentityParts,
  token: unknown,
  account: string,
): Promise<ProvenIdentity | string> {
  if (typeof token !== "string" || token === "") return "missing";
  if (!isAccountName(account)) return "no_account_name";
  if (jwtShape.test(token)) return proveByJwt(parts, token, account);
  const verdict = await verifyAccessToken(token, {
    account,
    appIds: parts.appIds,
    maxAgeSeconds: parts.maxAgeSeconds,
    authorities: parts.authorities,
    nowMs: parts.now(),
  });
  if (!verdict.isValid) return verdict.reason;
  return { id: idOf("token", `${verdict.key} ${verdict.digest}`), key: verdict.key, sessionId: null };
}

const idOf = (kind: string, subject: string) =>
  createHash("sha256").update(`${kind} ${subject}`).digest("base64url");

async function proveByJwt(
  parts: IdentityParts,
  token: string,
  account: string,
): Promise<ProvenIdentity | string> {
  if (token.length > LONGEST_JWT) return "jwt_too_long";
  if (!parts.issuer.isOurs(token)) {
    const subject = parts.externalIssuer && (await parts.externalIssuer(token));
    if (!subject) return "jwt_invalid";
    if (subject !== account) return "wrong_account";
    // Without the signature, whose text has several writings.
    return { id: idOf("issuer", token.slice(0, token.lastIndexOf("."))), key: null, sessionId: null };
  }
  const claims = await parts.issuer.verifyAccess(token);
  if (!claims) return "jwt_invalid";
  if (claims.account !== account) return "wrong_account";
  const session = await parts.sessions.read(claims.sessionId);
  if (session?.account !== account) return "session_over";
  return { id: idOf("session", claims.sessionId), key: session.key, sessionId: claims.sessionId };
}

/**
 * That the chain, an issuer or the store can't tell is no reason to refuse anybody.
 * @throws CodedError `auth_unavailable` for their failures; bugs pass as they are.
 */
async function orUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CodedError || error instanceof ChainError)
      throw new CodedError("auth_unavailable", { cause: error });
    throw error;
  }
}
