export type { ClaimStore, PaywallOptions } from "./options.ts";
export { type ConnectMiddleware, type ConnectRequest, paywall } from "./paywall.ts";
