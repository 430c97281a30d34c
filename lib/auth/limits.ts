import type { RateLimit } from "../http/rate-limit.ts";

type IdentityLimits = ReadonlyArray<RateLimit<{ username: string }>>;

/**
 * Quotas of a route that takes credentials. The account's quota is counted for each client apart: otherwise anybody
 * could shut somebody else out by asking in their name.
 */
function identityLimits(name: string): IdentityLimits {
  return [
    { name, requests: 120, windowSeconds: 60, by: "client" },
    {
      name: `${name}-account`,
      requests: 30,
      windowSeconds: 60,
      by: ({ username }, clientAddress) => `${clientAddress} ${username}`,
    },
  ];
}

export const bootstrapLimits = identityLimits("bootstrap");

export const loginLimits = identityLimits("login");
