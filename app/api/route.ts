import { notFoundRoute } from "#lib/http/route.ts";
import { processServices } from "#lib/services/process-services.ts";

/** Handles the path `/api` itself, which the catch-all below it does not match. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = notFoundRoute(processServices);
