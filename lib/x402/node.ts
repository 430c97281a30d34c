export type { ClaimStore } from "./paywall/claims.ts";
export { type NodePaywallOptions, nodePaywall } from "./paywall/node-paywall.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export type { PaidContext } from "./paywall/take-payment.ts";
