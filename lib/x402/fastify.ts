export type { ClaimStore } from "./paywall/claims.ts";
export { fastifyPaywall } from "./paywall/fastify-paywall.ts";
export type { PaywallOptions } from "./paywall/options.ts";
