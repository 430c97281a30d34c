export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export { type Payment, type WithPaywallOptions, withPaywall } from "./paywall/with-paywall.ts";
