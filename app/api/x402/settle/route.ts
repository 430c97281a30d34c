import { route } from "../../../../lib/http/route.ts";
import { appFacilitator } from "../../../../lib/services/app-facilitator.ts";

export { preflight as OPTIONS } from "../../../../lib/http/headers.ts";

const limit = { name: "x402-settle", requests: 1200, windowSeconds: 60, by: "client" } as const;

export const POST = route({ limit }, ({ request, requestId }) =>
  appFacilitator().handlers.settle(request, { requestId }),
);
