import type { IncomingMessage } from "node:http";
import type { Config } from "../../config.ts";
import { WebsocketQuery } from "../../contract/requests.ts";
import { CodedError } from "../../errors.ts";
import { isFromOwnSite } from "../../http/headers.ts";
import { readToken } from "../../http/token.ts";
import { validate } from "../../http/validate.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import type { Upstream } from "./connect-upstream.ts";

/** The PAT of a requested websocket, and the parameters to send upstream. */
export type UpgradeGrant = { pat: string; query: URLSearchParams };

/**
 * Reads the query of a request. Mattermost's own client appends its parameters after a second `?` if the
 * address already has a query.
 */
function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(new URL(request.url).search.slice(1).replaceAll("?", "&"));
}

/**
 * Returns the caller's PAT. A token in the query is explicit, so it takes precedence over the cookie, which
 * browsers add on their own.
 * @throws CodedError `unauthorized`
 */
export function readWebsocketToken(request: Request): { pat: string; carrier: "bearer" | "cookie" } {
  const token = queryOf(request).get("token");
  const authorization = request.headers.get("authorization") ?? "basic ";
  if (token === null || !/^basic /i.test(authorization)) return readToken(request.headers);
  return readToken(new Headers({ authorization: `Bearer ${encodeURIComponent(token)}` }));
}

/**
 * Reads the token, and checks the parameters and the origin: a cookie is accepted only from a page of this
 * server or of an allowed origin.
 * @throws CodedError `unauthorized`, `forbidden`, `invalid_request`
 */
export function authorize(
  request: Request,
  settings: Pick<Config, "publicUrl" | "allowedOrigins">,
): UpgradeGrant {
  const { pat, carrier } = readWebsocketToken(request);
  if (carrier === "cookie" && !isFromOwnSite(request, settings))
    throw new CodedError("forbidden", { message: "A websocket with a cookie must come from this site." });
  const given = Object.fromEntries(queryOf(request));
  const { token: _token, ...passed } = validate(WebsocketQuery, given);
  const query = new URLSearchParams(passed);
  if (query.get("connection_id") && !query.has("sequence_number")) query.set("sequence_number", "0");
  return { pat, query };
}

const keyShape = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Checks for a websocket handshake of RFC 6455.
 * @throws CodedError `invalid_upgrade`
 */
export function checkUpgrade({ method, headers }: IncomingMessage): void {
  const isWebsocket = method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
  const isComplete = keyShape.test(headers["sec-websocket-key"] ?? "");
  const hasVersion = headers["sec-websocket-version"] === "13";
  if (!isWebsocket || !isComplete || !hasVersion) throw new CodedError("invalid_upgrade");
}

/**
 * Returns the owner of the connection: from `hello`, from the cached owner of the PAT, or from Mattermost.
 * The cache matters after an outage, when everyone resumes at once and a busy
 * Mattermost loses events.
 * @throws CodedError
 */
export async function readUserId(upstream: Upstream, context: CallerContext): Promise<string> {
  if (upstream.userId !== null) {
    context.chat.caches.userIds.set(context.patHash, upstream.userId);
    return upstream.userId;
  }
  try {
    return await readOwnId(context);
  } catch (error) {
    upstream.socket.terminate();
    throw error;
  }
}

/**
 * Returns the error behind a cut handshake. Mattermost cuts the connection both for a bad token and when it
 * crashes, and only a REST call tells the two apart.
 */
export async function explainCut(caller: MattermostCaller): Promise<CodedError> {
  try {
    await readOwnUser(caller);
    return new CodedError("backend_unreachable");
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { cause } = error;
    if (error.code === "overloaded") return error;
    const isRefused = cause instanceof MattermostRefusal && cause.status >= 400 && cause.status < 500;
    return isRefused ? new CodedError("unauthorized", { cause }) : error;
  }
}
