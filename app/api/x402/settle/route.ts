import { settleLimit } from "#lib/contract/limits.ts";
import { route } from "#lib/services/services.ts";

export const POST = route({ limit: settleLimit }, ({ services, request, requestId, onRefusal }) =>
  services.facilitator().handlers.settle(request, { requestId, onRefusal }),
);
