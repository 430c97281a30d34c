import { createHash } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Context, Mattermost } from "./context.ts";
import { ApiError } from "./errors.ts";
import { isId, makeId } from "./id.ts";
import type { SessionRow } from "./model/users.ts";
import { asReply, type Reply } from "./require.ts";
import { createRouter, findHttpSession, type Match, type Route } from "./router.ts";
import { MAX_FILE_BYTES } from "./routes/files.ts";

const PREFIX = "/api/v4";
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const MAX_UPLOAD_BYTES = 12 * 1024 * 1024;
const idParams = new Set([
  "user_id",
  "team_id",
  "channel_id",
  "post_id",
  "thread_id",
  "reply_id",
  "token_id",
  "emoji_id",
  "file_id",
]);

export type RequestInfo = { method: string; path: string; userId: string; status: number };

/**
 * Creates the listener that answers REST calls: it finds the route and the session, runs the handler, and
 * writes the answer.
 */
export function createListener(options: {
  mattermost: Mattermost;
  routes: readonly Route[];
  onRequest: (info: RequestInfo) => void;
  onFault: (error: unknown) => void;
}): RequestListener {
  const match = createRouter(options.routes);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = makeId();
    response.setHeader("X-Request-Id", requestId);
    response.setHeader("X-Version-Id", options.mattermost.serverVersion);
    const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
    const url = new URL(request.url ?? "/", "http://mattermost.invalid");
    const path = url.pathname.length > 1 ? url.pathname.replace(/\/$/, "") : url.pathname;
    const found = path.startsWith(`${PREFIX}/`) ? match(method, path.slice(PREFIX.length)) : null;
    let session: SessionRow | null = null;
    let reply: Reply;
    try {
      const rawBody = await readBytes(request);
      if (!found) reply = notFound(url.pathname);
      else {
        session = findHttpSession(options.mattermost, request, url.searchParams, found.route.isPublic);
        reply = asReply(await run(options.mattermost, found, request, url.searchParams, session, rawBody));
      }
    } catch (error) {
      reply = errorReply(error, requestId, options.onFault);
    }
    options.onRequest({ method, path, userId: session?.user_id ?? "", status: reply.status });
    write(request, response, reply);
  }

  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client disconnected, or the answer could not be written, so the fault can only be logged.
      options.onFault(error);
      response.destroy();
    });
  };
}

function run(
  mattermost: Mattermost,
  { route, params: raw }: Match,
  request: IncomingMessage,
  query: URLSearchParams,
  session: SessionRow | null,
  rawBody: Uint8Array,
): unknown {
  const params: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    const meaning = name === "user_id" && value === "me" && session ? session.user_id : value;
    if (idParams.has(name) && !isId(meaning)) {
      throw new ApiError("api.context.invalid_url_param.app_error", name);
    }
    params[name] = meaning;
  }
  const context: Context = { mattermost, params, query, headers: request.headers, rawBody, session };
  if (route.isAsync || route.method === "GET") return route.handler(context);
  return mattermost.transact(() => route.handler(context));
}

async function readBytes(request: IncomingMessage): Promise<Uint8Array> {
  const isFile = /^\/api\/v4\/files\?/.test(request.url ?? "");
  const isUpload = (request.headers["content-type"] ?? "").startsWith("multipart/");
  const limit = isFile ? MAX_FILE_BYTES : isUpload ? MAX_UPLOAD_BYTES : MAX_JSON_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and discarded, so that the client gets the answer instead of a connection reset.
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit && isFile) throw new ApiError("api.file.upload_file.too_large_detailed.app_error");
  if (size > limit) {
    throw new ApiError(
      isUpload
        ? "api.user.upload_profile_user.too_large.app_error"
        : "api.context.request_too_large.app_error",
    );
  }
  return Buffer.concat(chunks);
}

function notFound(path: string): Reply {
  const { id, message, status } = new ApiError("api.context.404.app_error");
  const detail = `There doesn't appear to be an api call for the url='${path}'.  Typo? are you missing a team_id or user_id as part of the url?`;
  return { ...asReply({ id, message, detailed_error: detail, status_code: status }), status };
}

function errorReply(error: unknown, requestId: string, onFault: (error: unknown) => void): Reply {
  if (!(error instanceof ApiError)) onFault(error);
  const { id, message, status } =
    error instanceof ApiError ? error : new ApiError("api.context.internal.app_error");
  const body = { id, message, detailed_error: "", request_id: requestId, status_code: status };
  return { ...asReply(body), status };
}

function write(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
  const isBytes = reply.body instanceof Uint8Array;
  const body = isBytes ? (reply.body as Uint8Array) : Buffer.from(JSON.stringify(reply.body));
  if (!response.hasHeader("Content-Type")) response.setHeader("Content-Type", "application/json");
  if (request.method === "GET" && !response.hasHeader("Cache-Control")) response.setHeader("Expires", "0");
  if (reply.isCacheable && reply.status === 200) {
    const etag = createHash("sha1").update(body).digest("hex");
    response.setHeader("ETag", etag);
    if (request.headers["if-none-match"] === etag) {
      response.writeHead(304).end();
      return;
    }
  }
  response.writeHead(reply.status, { "Content-Length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}
