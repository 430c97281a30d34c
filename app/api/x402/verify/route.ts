import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/verify", {
  POST: ({ services, request, requestId, onRefusal }) =>
    services.facilitator().handlers.verify(request, { requestId, onRefusal }),
});
