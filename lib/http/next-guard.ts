import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { z } from "zod";
import { CodedError } from "../errors.ts";
import { methods, normalizedPath, pathOf } from "./route-table.ts";

/** Conditions and ranges that Next answers with 500 where a static file does not meet them; a server may ignore them. */
const ignoredHeaders = ["range", "if-range", "if-match", "if-unmodified-since"];

/** Next's page for its own failures, which has the status 500 whoever asks for it. */
const GLOBAL_ERROR = "/_global-error";

/** What Next's router sends of the page that it shows (`FlightRouterState`). */
const Segment = z.union([
  z.string(),
  z.tuple([
    z.string(),
    z.string(),
    z.string().regex(/^(oc|[cd](i\((\.{1,3}|\.\.\)\(\.\.)\))?)$/),
    z.array(z.string()).nullable(),
  ]),
]);
const RouterState: z.ZodType = z.lazy(() =>
  z.tuple([
    Segment,
    z.record(z.string(), RouterState),
    z.tuple([z.string(), z.string()]).nullish(),
    z.enum(["refetch", "inside-shared-layout", "metadata-only"]).nullish(),
    z.number().nullish(),
    z.string().optional(),
  ]),
);

/**
 * Refuses what Next would answer with 500 and a trace, and below `/api` methods that no route file can have.
 * @throws CodedError `invalid_request`, `not_found`, `method_not_allowed`
 */
export function guardNext(incoming: IncomingMessage): void {
  const { headers, method } = incoming;
  const path = decoded(pathOf(incoming.url));
  if (path === null) throw new CodedError("invalid_request", { message: "The path is not valid." });
  if (path === GLOBAL_ERROR || path.startsWith(`${GLOBAL_ERROR}/`)) throw new CodedError("not_found");
  // A web `Request` can't have it.
  if (method === "TRACE") throw new CodedError("method_not_allowed", { headers: { allow: "GET, HEAD" } });
  // No route file can serve it, and Next answers 400 without a body.
  if (isBelowApi(path) && !methods.some((known) => known === method))
    throw new CodedError("method_not_allowed", { headers: { allow: methods.join(", ") } });
  const state = headers["next-router-state-tree"];
  if (state !== undefined && !isRouterState(String(state)))
    throw new CodedError("invalid_request", { message: "The router's state is not valid." });
  if (ignoredHeaders.some((name) => headers[name] !== undefined) && isStaticFile(path))
    for (const name of ignoredHeaders) delete headers[name];
}

const isBelowApi = (path: string) => path === "/api" || path.startsWith("/api/");

const isStaticFile = (path: string) =>
  path.startsWith("/_next/") || (!path.includes("\0") && existsSync(join("public", path)));

/** The path as Next reads it: without detours, decoded; null when it can't be. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(normalizedPath(path)).replace(/\/{2,}/g, "/");
  } catch {
    return null;
  }
}

function isRouterState(header: string): boolean {
  try {
    return RouterState.safeParse(JSON.parse(decodeURIComponent(header))).success;
  } catch {
    return false;
  }
}
