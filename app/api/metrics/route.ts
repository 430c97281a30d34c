import { serveMetrics } from "#lib/http/serve-metrics.ts";
import { route } from "#lib/services/route.ts";

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route("/api/metrics", {
  GET: ({ services, request }) => serveMetrics(request, services.config.metricsToken),
});
