export type { ClaimStore, PaywallOptions } from "./paywall/options.ts";
export { type Payment, type WithPaywallOptions, withPaywall } from "./paywall/with-paywall.ts";
