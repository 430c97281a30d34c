import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/verify", {
  POST: ({ services, asked, requestId, onRefusal }) =>
    services.facilitator().answers.verify(asked, { requestId, onRefusal }),
});
