export { honoPaywall } from "./paywall/hono-paywall.ts";
export type { ClaimStore, PaywallOptions } from "./paywall/options.ts";
