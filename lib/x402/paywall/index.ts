export type { Facilitator } from "../types.ts";
export type { ClaimStore } from "./claims.ts";
export type { PaywallOptions } from "./options.ts";
export { type ConnectMiddleware, type ConnectRequest, paywall } from "./paywall.ts";
