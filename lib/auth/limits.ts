import type { RateLimit } from "../http/rate-limit.ts";

/**
 * Quotas of the routes that take credentials. The account's quota is counted for each client apart: otherwise anybody
 * could shut somebody else out by asking in their name.
 */
export const identityLimits: ReadonlyArray<RateLimit<{ username: string }>> = [
  { name: "identity", requests: 120, windowSeconds: 60, by: "client" },
  {
    name: "identity-account",
    requests: 30,
    windowSeconds: 60,
    by: ({ username }, clientAddress) => `${clientAddress} ${username}`,
  },
];
