import type { RateLimit } from "../http/rate-limit.ts";

/**
 * Quotas of a route that takes credentials. The account's quota is counted for each client apart: otherwise anybody
 * could shut somebody else out by asking in their name.
 */
function identityLimits(name: string): ReadonlyArray<RateLimit<{ username: string }>> {
  return [
    { name, requests: 120, windowSeconds: 60, by: "client" },
    {
      name: `${name}-account`,
      requests: 30,
      windowSeconds: 60,
      by: ({ username }, clientAddress) => `${clientAddress} ${username}`,
      per: "account and client address",
    },
  ];
}

const perMinute = (name: string, requests: number): RateLimit => ({
  name,
  requests,
  windowSeconds: 60,
  by: "client",
});

export const bootstrapLimits = identityLimits("bootstrap");
export const loginLimits = identityLimits("login");
export const refreshLimit = perMinute("refresh", 120);
export const verifyLimit = perMinute("x402-verify", 1200);
export const settleLimit = perMinute("x402-settle", 1200);
export const paymentsLimit = perMinute("x402-payments", 120);
export const tipsReadLimit = perMinute("tips-read", 1200);
export const tipsLimit = perMinute("tips", 120);
/** Handshakes that were refused: a bad token costs a connection to the backend, which may take its time to cut it. */
export const handshakeLimit = perMinute("websocket-refusals", 300);
/** Every new chat user takes one of the places that the backend has. */
export const newPartnersLimit: RateLimit = {
  name: "new-partners",
  requests: 30,
  windowSeconds: 86_400,
  by: () => null,
  per: "user, for accounts that have no chat user yet",
};

/** How large a body with a refresh token may be. */
export const REFRESH_BODY_BYTES = 8192;
/** How long a challenge may be answered. */
export const CHALLENGE_SECONDS = 300;
/** How long an access token of ours is good. */
export const ACCESS_TOKEN_SECONDS = 900;
/** How long a login lasts that nobody renews. */
export const LOGIN_SECONDS = 30 * 86_400;
/** A shorter term finds no user and no channel. */
export const SHORTEST_TERM = 2;
export const MOST_USERS_FOUND = 20;
/** A backend without a search engine finds no more, and gives all of it as its first page. */
export const MOST_POSTS_FOUND = 100;
/** How many payments of an account are listed. */
export const MOST_PAYMENTS = 100;
