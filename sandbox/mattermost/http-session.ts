import type { IncomingMessage } from "node:http";
import type { Backend } from "./backend.ts";
import { refuse } from "./errors.ts";
import type { SessionRow } from "./model/sessions.ts";
import { authenticate } from "./operations/authenticate.ts";

type Carrier = { token: string; kind: "cookie" | "header" | "query" };

/** One cookie of a request, "" when it has none of that name. */
export function readCookie(header: string | undefined, name: string): string {
  for (const pair of (header ?? "").split(";")) {
    const [key, ...rest] = pair.trim().split("=");
    if (key === name) return rest.join("=");
  }
  return "";
}

function findToken(request: IncomingMessage, query: URLSearchParams): Carrier | null {
  const cookie = readCookie(request.headers.cookie, "MMAUTHTOKEN");
  if (cookie) return { token: cookie, kind: "cookie" };
  const header = /^(?:bearer|token) (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (header) return { token: header.trim(), kind: "header" };
  const inQuery = query.get("access_token");
  return inQuery ? { token: inQuery, kind: "query" } : null;
}

function isForgeable(request: IncomingMessage, session: SessionRow): boolean {
  if (request.method === "GET" || request.method === "HEAD") return false;
  if (request.headers["x-requested-with"] === "XMLHttpRequest") return false;
  const expected = (JSON.parse(session.props) as { csrf?: string }).csrf;
  return !expected || request.headers["x-csrf-token"] !== expected;
}

/**
 * The session of a request. On a public route a bad token is no session.
 *
 * @throws ApiError 401 when the route needs a session and there is none.
 */
export function findHttpSession(
  backend: Backend,
  request: IncomingMessage,
  query: URLSearchParams,
  isPublic: boolean,
): SessionRow | null {
  const carrier = findToken(request, query);
  const session = carrier ? authenticate(backend, carrier.token) : null;
  if (session && carrier?.kind === "query") {
    if (isPublic) return null;
    refuse("api.context.token_provided.app_error");
  }
  const isForged = session !== null && carrier?.kind === "cookie" && isForgeable(request, session);
  if (session && !isForged) return session;
  if (isPublic) return null;
  refuse("api.context.session_expired.app_error");
}
