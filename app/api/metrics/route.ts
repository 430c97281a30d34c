import { currentConfig } from "../../../lib/config.ts";
import { route } from "../../../lib/http/route.ts";
import { serveMetrics } from "../../../lib/http/serve-metrics.ts";

export const GET = route({}, ({ request }) => serveMetrics(request, currentConfig().metricsToken));

export { preflight as OPTIONS } from "../../../lib/http/headers.ts";
