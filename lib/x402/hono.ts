export type { ClaimStore } from "./paywall/claims.ts";
export { honoPaywall } from "./paywall/hono-paywall.ts";
export type { PaywallOptions } from "./paywall/options.ts";
