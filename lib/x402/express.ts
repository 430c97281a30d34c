export type { ClaimStore } from "./paywall/claim-store.ts";
export type { PaywallOptions } from "./paywall/options.ts";
export { type ConnectMiddleware, type ConnectRequest, paywall } from "./paywall/paywall.ts";
