export type { ClaimStore } from "./paywall/claim-store.ts";
export { fastifyPaywall } from "./paywall/fastify-paywall.ts";
export type { PaywallOptions } from "./paywall/options.ts";
