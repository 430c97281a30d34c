import { notFoundRoute } from "#lib/http/route.ts";
import { processServices } from "#lib/services/process-services.ts";

/** Every path below `/api` that has no route of its own: Next ranks a catch-all below all others. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute(processServices);
