import { verifyLimit } from "#lib/contract/limits.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ limit: verifyLimit }, ({ services, request, requestId, onRefusal }) =>
  services.facilitator().handlers.verify(request, { requestId, onRefusal }),
);
