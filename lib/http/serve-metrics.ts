import { createHash, timingSafeEqual } from "node:crypto";
import { CodedError } from "../errors.ts";
import { metrics } from "../metrics.ts";
import type { Secret } from "../secret.ts";
import { readMetrics } from "../worker-metrics.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

/**
 * Serves Prometheus the metrics of the process, or of all workers, to callers with the token. Without a
 * configured token, the path does not exist.
 * @throws CodedError `not_found`, `unauthorized`, `degraded`
 */
export async function serveMetrics(request: Request, token: Secret | null): Promise<Response> {
  if (!token) throw new CodedError("not_found");
  const expected = digest(`Bearer ${token.reveal()}`);
  if (!timingSafeEqual(digest(request.headers.get("authorization") ?? ""), expected))
    throw new CodedError("unauthorized");
  const text = await readMetrics();
  return new Response(text, { headers: { "content-type": metrics().registry.contentType } });
}
