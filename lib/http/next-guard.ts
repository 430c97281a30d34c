import { statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { parseAndValidateFlightRouterState } from "next/dist/server/app-render/parse-and-validate-flight-router-state.js";
import { CodedError } from "../errors.ts";
import { methods, normalizedPath, pathOf } from "./route-table.ts";

/**
 * Conditional headers that Next answers with 500 if a static file does not meet them; servers are free to
 * ignore them.
 */
const ignoredConditions = ["if-match", "if-unmodified-since"];

/** Next's page for its own failures, which has the status 500 for every request. */
const GLOBAL_ERROR = "/_global-error";

/**
 * Refuses requests that Next would answer with 500 and a trace, and methods below `/api` that no route file
 * can have. From requests for static files, drops conditional headers that Next mishandles, and ranges outside of the
 * file.
 * @throws CodedError `invalid_request`, `not_found`, `method_not_allowed`
 */
export function guardNext(incoming: IncomingMessage): void {
  const { headers, method } = incoming;
  const path = decoded(pathOf(incoming.url));
  if (path === null) throw new CodedError("invalid_request", { message: "The path is not valid." });
  if (path === GLOBAL_ERROR || path.startsWith(`${GLOBAL_ERROR}/`)) throw new CodedError("not_found");
  // A web `Request` cannot have this method.
  if (method === "TRACE") throw new CodedError("method_not_allowed", { headers: { allow: "GET, HEAD" } });
  // No route file can serve this method, and Next would answer 400 without a body.
  if (isBelowApi(path) && !methods.some((known) => known === method))
    throw new CodedError("method_not_allowed", { headers: { allow: methods.join(", ") } });
  const state = headers["next-router-state-tree"];
  if (state !== undefined && !isRouterState(String(state)))
    throw new CodedError("invalid_request", { message: "The router's state is not valid." });
  const length = [...ignoredConditions, "range"].some((name) => headers[name] !== undefined)
    ? lengthOfFile(path)
    : null;
  if (length === null) return;
  for (const name of ignoredConditions) delete headers[name];
  if (!isWithin(String(headers.range), length)) delete headers.range;
}

const isBelowApi = (path: string) => path === "/api" || path.startsWith("/api/");

/**
 * Returns the size of a file that Next serves statically, 0 for a missing file of the build, and null for any other
 * path.
 */
function lengthOfFile(path: string): number | null {
  if (path.includes("\0")) return null;
  const file = path.startsWith("/_next/")
    ? join(".next", path.slice("/_next/".length))
    : join("public", path);
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : path.startsWith("/_next/") ? 0 : null;
}

/** Returns whether a file has any of the bytes of a range. Next answers an unreadable range with the whole file. */
function isWithin(range: string, length: number): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range.replace(/\s/g, "")) ?? [];
  if (first === undefined) return false;
  return first === "" ? Number(last) > 0 && length > 0 : Number(first) < length;
}

/** Returns the path as Next reads it, normalized and decoded; null if it cannot be decoded. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(normalizedPath(path)).replace(/\/{2,}/g, "/");
  } catch {
    return null;
  }
}

/** Returns whether Next accepts the header. Its own check decides, because the state's shape is private. */
function isRouterState(header: string): boolean {
  try {
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}
