import { createTtlLruCache } from "../async/cache.ts";
import { CodedError } from "../errors.ts";
import { MATTERMOST_ID } from "../mattermost-id.ts";
import { nameOfSecret } from "../secret.ts";
import type { RequestHeaders } from "./client-address.ts";
import { type RateLimit, spendQuota, type TokenBuckets } from "./rate-limit.ts";

/** Name of the cookie that carries the PAT. */
export const PAT_COOKIE = "chat_pat";
/** Lifetime of the cookie in a browser. */
export const PAT_COOKIE_SECONDS = 30 * 86_400;

type Token = { pat: string; carrier: "bearer" | "cookie" };

/**
 * Returns the caller's PAT: from `Authorization: Bearer`, otherwise from the cookie. An empty or malformed
 * bearer never falls through to the cookie. `Basic` is ignored, because it is the login at a proxy in front.
 * @throws CodedError `unauthorized`
 */
export function readToken(headers: RequestHeaders): Token {
  const authorization = headers.get("authorization");
  if (authorization !== null && !/^basic /i.test(authorization)) {
    const pat = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
    return { pat: checked(pat), carrier: "bearer" };
  }
  return { pat: checked(readCookie(headers, PAT_COOKIE)), carrier: "cookie" };
}

function checked(pat: string | undefined): string {
  if (pat === undefined || !MATTERMOST_ID.test(pat)) throw new CodedError("unauthorized");
  return pat;
}

/** Returns the first cookie of that name, or undefined. */
function readCookie(headers: RequestHeaders, name: string): string | undefined {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    const equals = pair.indexOf("=");
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

const MAX_PROVEN = 20_000;
const PROVEN_FOR_MS = 86_400_000;
/** High enough for an office whose pages all return after a restart, each with a handful of requests. */
export const unprovenLimit: RateLimit<never> = {
  name: "unproven-tokens",
  requests: 300,
  windowSeconds: 60,
  by: "client",
  per: "client address, with tokens that have proven nothing yet",
};

/**
 * Remembers which PATs are valid, and limits requests with other PATs. This grants nothing: Mattermost
 * decides about each request.
 */
export type TokenTrust = {
  /**
   * Spends from the client's quota if the PAT is unproven.
   * @throws CodedError `rate_limited`
   */
  checkRequest(pat: string, clientAddress: string): void;
  /** Learns from the status of the answer to a PAT's request. */
  judge(pat: string, status: number): void;
  /** Marks a PAT that was just issued as valid. */
  vouch(pat: string): void;
  /** Calls back when the PAT is refused, until the returned function is called. */
  onRefusal(pat: string, listener: () => void): () => void;
  /** Calls back with the key of every PAT that was valid until it was refused, but not of invented ones. */
  onLoss(listener: (key: string) => void): void;
  /** Marks the PAT with this key as refused, as another process announced. */
  refuse(key: string): void;
};

/**
 * Creates the memory of valid PATs. Requests with other PATs are counted by client address, because anyone
 * can invent any number of PATs, each of which would have its own quotas and cost a call to Mattermost.
 */
export function createTokenTrust(quotas: TokenBuckets): TokenTrust {
  const proven = createTtlLruCache<true>({ maxEntries: MAX_PROVEN, ttlMs: PROVEN_FOR_MS });
  const listeners = new Map<string, Set<() => void>>();
  const lossListeners: Array<(key: string) => void> = [];
  const refuse = (key: string) => {
    proven.delete(key);
    for (const tell of [...(listeners.get(key) ?? [])]) tell();
  };
  return {
    refuse,
    onLoss: (listener) => void lossListeners.push(listener),
    checkRequest(pat, clientAddress) {
      // Quota headers do not report this quota, which does not apply to callers with a valid PAT.
      if (!proven.get(nameOfSecret(pat))) spendQuota(unprovenLimit, clientAddress, new Map(), quotas);
    },
    judge(pat, status) {
      if (status < 400) proven.set(nameOfSecret(pat), true);
      if (status !== 401) return;
      const key = nameOfSecret(pat);
      const wasGood = proven.get(key) === true;
      refuse(key);
      if (wasGood) for (const tell of lossListeners) tell(key);
    },
    vouch: (pat) => proven.set(nameOfSecret(pat), true),
    onRefusal(pat, listener) {
      const key = nameOfSecret(pat);
      const known = listeners.get(key) ?? new Set();
      listeners.set(key, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(key) === known) listeners.delete(key);
      };
    },
  };
}
