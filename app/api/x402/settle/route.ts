import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/x402/settle", {
  POST: ({ services, asked, requestId, onRefusal }) =>
    services.facilitator().answers.settle(asked, { requestId, onRefusal }),
});
