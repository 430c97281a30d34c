import { notFoundRoute } from "#lib/http/route.ts";
import { processServices } from "#lib/services/process-services.ts";

/** Handles every path below `/api` without a route of its own: Next ranks a catch-all below all others. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute(processServices);
