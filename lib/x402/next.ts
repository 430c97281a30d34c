export type { ClaimStore } from "./paywall/claims.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export type { PaidContext } from "./paywall/take-payment.ts";
export {
  type PaidRoute,
  type RouteContext,
  type WithPaywallOptions,
  withPaywall,
} from "./paywall/with-paywall.ts";
