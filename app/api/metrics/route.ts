import { serveMetrics } from "#lib/http/record-request.ts";
import { route } from "#lib/services/services.ts";

export const GET = route({}, ({ services, request }) => serveMetrics(request, services.config.metricsToken));
