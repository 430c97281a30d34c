import { createHash, timingSafeEqual } from "node:crypto";
import { currentConfig } from "../../../lib/config.ts";
import { CodedError } from "../../../lib/errors.ts";
import { route } from "../../../lib/http/route.ts";
import { metrics } from "../../../lib/metrics.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/** The process's metrics for Prometheus, for who knows METRICS_TOKEN; without that setting there is no such thing. */
export const GET = route({}, async ({ request }) => {
  const { metricsToken } = currentConfig();
  if (!metricsToken) throw new CodedError("not_found");
  const expected = digest(`Bearer ${metricsToken.reveal()}`);
  if (!timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected))
    throw new CodedError("unauthorized");
  const { registry } = metrics();
  return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
});

export { preflight as OPTIONS } from "../../../lib/http/preflight.ts";
