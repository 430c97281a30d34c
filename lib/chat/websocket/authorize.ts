import type { IncomingMessage } from "node:http";
import type { Config } from "../../config.ts";
import { WebsocketQuery } from "../../contract/requests.ts";
import { CodedError } from "../../errors.ts";
import { isFromOwnSite } from "../../http/headers.ts";
import { readToken, type TokenTrust } from "../../http/token.ts";
import { validate } from "../../http/validate.ts";
import { log } from "../../log.ts";
import { MattermostRefusal } from "../../mattermost/exchange.ts";
import type { MattermostSession } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";
import { readOwnId, type Session } from "../session/session.ts";
import type { Upstream } from "./connect-upstream.ts";

/** Who wants a websocket, and the parameters that go upstream. */
export type UpgradeGrant = { pat: string; query: URLSearchParams };

/** Mattermost's own client puts a second `?` before its parameters where the address has a query already. */
function queryOf(request: Request): URLSearchParams {
  return new URLSearchParams(new URL(request.url).search.slice(1).replaceAll("?", "&"));
}

/**
 * The caller's PAT. One in the query is explicit, so it goes before the cookie, which a browser adds by itself.
 * @throws CodedError `unauthorized`
 */
export function readWebsocketToken(request: Request): { pat: string; carrier: "bearer" | "cookie" } {
  const token = queryOf(request).get("token");
  const authorization = request.headers.get("authorization") ?? "basic ";
  if (token === null || !/^basic /i.test(authorization)) return readToken(request.headers);
  return readToken(new Headers({ authorization: `Bearer ${encodeURIComponent(token)}` }));
}

/**
 * Reads the token, checks the origin (a cookie needs a page of our own) and the parameters.
 * @throws CodedError `unauthorized`, `forbidden`, `invalid_request`
 */
export function authorize(
  request: Request,
  settings: Pick<Config, "publicUrl" | "allowedOrigins">,
): UpgradeGrant {
  const { pat, carrier } = readWebsocketToken(request);
  if (carrier === "cookie" && !isFromOwnSite(request, settings))
    throw new CodedError("forbidden", { message: "A websocket with the cookie must come from this site." });
  const given = Object.fromEntries(queryOf(request));
  const { token: _token, ...passed } = validate(WebsocketQuery, given);
  const query = new URLSearchParams(passed);
  if (query.get("connection_id") && !query.has("sequence_number")) query.set("sequence_number", "0");
  return { pat, query };
}

const keyShape = /^[+/0-9A-Za-z]{22}==$/;

/**
 * Whether this is a websocket handshake of RFC 6455.
 * @throws CodedError `invalid_upgrade`
 */
export function checkUpgrade({ method, headers }: IncomingMessage): void {
  const isWebsocket = method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
  const isComplete = keyShape.test(headers["sec-websocket-key"] ?? "");
  const hasVersion = headers["sec-websocket-version"] === "13";
  if (!isWebsocket || !isComplete || !hasVersion) throw new CodedError("invalid_upgrade");
}

/**
 * Whose connection it is: `hello` told it, or the gateway knows whose the PAT is, or Mattermost is asked. After an outage
 * everybody resumes at once, and events get lost the more readily the busier Mattermost is then.
 * @throws CodedError
 */
export async function readUserId(upstream: Upstream, session: Session): Promise<string> {
  if (upstream.userId !== null) {
    session.gateway.caches.userIds.set(session.patHash, upstream.userId);
    return upstream.userId;
  }
  try {
    return await readOwnId(session);
  } catch (error) {
    upstream.socket.terminate();
    throw error;
  }
}

/** The error behind a cut handshake: Mattermost cuts over a bad token and when it dies, and only REST tells which. */
export async function explainCut(caller: MattermostSession): Promise<CodedError> {
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

const EVERY_MS = 5000;

export type LogoutWatch = {
  /**
   * Notes a websocket before Mattermost is asked for it: logouts until then are none of its business, later ones
   * close it. Returns the function that ends that. Never rejects.
   */
  begin(): Promise<() => void>;
};

/** Closes the websockets of users who log out, and of PATs that are refused, at another process on the same store; looks while there are any. */
export function createLogoutWatch(logouts: Logouts, open: OpenSockets, tokens: TokenTrust): LogoutWatch {
  let watched = 0;
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<void> | null = null;

  const closeTaken = async () => {
    try {
      for (const subject of await logouts.take()) {
        open.closeOf(subject);
        tokens.refuse(subject);
      }
    } catch (error) {
      log().warn({ cause: (error as Error).name }, "logouts elsewhere can't be seen: the store is away");
    } finally {
      looking = null;
    }
  };
  const look = () => {
    looking ??= closeTaken();
    return looking;
  };

  return {
    async begin() {
      watched += 1;
      timer ??= setInterval(() => void look(), EVERY_MS).unref();
      await look();
      return () => {
        watched -= 1;
        if (watched > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      };
    },
  };
}
