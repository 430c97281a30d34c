import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/discovery/search", {
  GET: ({ services, request }) => services.facilitator().answers.search(request),
});
