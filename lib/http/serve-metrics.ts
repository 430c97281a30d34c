import { createHash, timingSafeEqual } from "node:crypto";
import { CodedError } from "../errors.ts";
import { metrics } from "../metrics.ts";
import type { Secret } from "../secret.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Serves the process's metrics for Prometheus to callers with the token. Without a configured token, the path does not
 * exist.
 * @throws CodedError `not_found`, `unauthorized`
 */
export async function serveMetrics(request: Request, token: Secret | null): Promise<Response> {
  if (!token) throw new CodedError("not_found");
  const expected = digest(`Bearer ${token.reveal()}`);
  if (!timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected))
    throw new CodedError("unauthorized");
  const { registry } = metrics();
  return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
}
