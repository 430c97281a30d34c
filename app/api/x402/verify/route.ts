import { route } from "../../../../lib/services/route.ts";

const limit = { name: "x402-verify", requests: 1200, windowSeconds: 60, by: "client" } as const;

export const POST = route({ limit }, ({ services, request, requestId }) =>
  services.facilitator().handlers.verify(request, { requestId }),
);
