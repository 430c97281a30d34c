export type { ClaimStore } from "./paywall/claims.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export { type ConnectMiddleware, type ConnectRequest, paywall } from "./paywall/paywall.ts";
