import { ownResources } from "../../../lib/demo-shop/own-offers.ts";
import { route } from "../../../lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/.well-known/x402", {
  GET: ({ services }) => ({ version: 1 as const, resources: ownResources(services.config) }),
});
