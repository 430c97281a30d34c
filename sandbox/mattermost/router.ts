import type { IncomingMessage } from "node:http";
import type { Context, Mattermost } from "./context.ts";
import { refuse } from "./errors.ts";
import type { SessionRow } from "./model/users.ts";
import { authenticate } from "./operations/authenticate.ts";

export type Handler = (context: Context) => unknown;

export type Route = {
  method: string;
  /** Path below `/api/v4`. `{name}` is one segment, whose form follows from the name. */
  path: string;
  handler: Handler;
  /** True if the route requires no session. An invalid token is then ignored. */
  isPublic: boolean;
  /** True if the handler is asynchronous and opens its own transaction. */
  isAsync: boolean;
};

export const publicly = { isPublic: true };
export const asynchronously = { isAsync: true };

export function route(
  method: string,
  path: string,
  handler: Handler,
  options: { isPublic?: boolean; isAsync?: boolean } = {},
): Route {
  return { method, path, handler, isPublic: options.isPublic ?? false, isAsync: options.isAsync ?? false };
}

const word = /^[A-Za-z0-9]+$/;
const forms: Record<string, RegExp> = {
  username: /^[A-Za-z0-9_.-]+$/,
  email: /^.+$/,
  team_name: /^[A-Za-z0-9_-]+$/,
  channel_name: /^[A-Za-z0-9_-]+$/,
  emoji_name: /^[A-Za-z0-9_+-]+$/,
  timestamp: /^[0-9]+$/,
};

type Segment = { literal: string } | { name: string; form: RegExp };
type Compiled = { route: Route; segments: Segment[]; rank: string };

function compile(route: Route): Compiled {
  const segments = route.path
    .slice(1)
    .split("/")
    .map((part): Segment => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      return name ? { name, form: forms[name] ?? word } : { literal: part };
    });
  const rank = segments.map((segment) => ("literal" in segment ? "0" : "1")).join("");
  return { route, segments, rank };
}

export type Match = { route: Route; params: Record<string, string> };

/**
 * Creates the function that finds the route of a method and path. If several match, the one with the earlier
 * literal segment wins.
 */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Match | null {
  const shelves = new Map<string, Compiled[]>();
  for (const compiled of routes.map(compile)) {
    const key = `${compiled.route.method} ${compiled.segments.length}`;
    const shelf = shelves.get(key) ?? [];
    shelf.push(compiled);
    shelf.sort((a, b) => (a.rank < b.rank ? -1 : 1));
    shelves.set(key, shelf);
  }
  return (method, path) => {
    const parts = path.slice(1).split("/").map(decode);
    for (const { route, segments } of shelves.get(`${method} ${parts.length}`) ?? []) {
      const params = matchSegments(segments, parts);
      if (params) return { route, params };
    }
    return null;
  };
}

function matchSegments(
  segments: readonly Segment[],
  parts: readonly (string | null)[],
): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index] ?? "";
    if ("literal" in segment) {
      if (segment.literal !== part) return null;
    } else if (segment.form.test(part)) params[segment.name] = part;
    else return null;
  }
  return params;
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    // A malformed escape matches no route.
    return null;
  }
}

type Carrier = { token: string; kind: "cookie" | "header" | "query" };

/** Reads one cookie of a request, or returns "" if there is none with that name. */
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
 * Finds the session of a request. On a public route an invalid token counts as none.
 * @throws ApiError 401 if the route requires a session and there is none.
 */
export function findHttpSession(
  mattermost: Mattermost,
  request: IncomingMessage,
  query: URLSearchParams,
  isPublic: boolean,
): SessionRow | null {
  const carrier = findToken(request, query);
  const session = carrier ? authenticate(mattermost, carrier.token) : null;
  if (session && carrier?.kind === "query") {
    if (isPublic) return null;
    refuse("api.context.token_provided.app_error");
  }
  const isForged = session !== null && carrier?.kind === "cookie" && isForgeable(request, session);
  if (session && !isForged) return session;
  if (isPublic) return null;
  refuse("api.context.session_expired.app_error");
}
