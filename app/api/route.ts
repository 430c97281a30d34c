import { notFoundRoute } from "#lib/http/route.ts";
import { processServices } from "#lib/services/process-services.ts";

/** The path `/api` itself, which no catch-all below it takes. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute(processServices);
