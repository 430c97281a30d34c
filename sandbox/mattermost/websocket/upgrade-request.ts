import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { readCookie } from "../http-session.ts";
import { makeId } from "../id.ts";

const PATH = /^\/api\/v4\/websocket\/?$/;

export type UpgradeRequest = {
  /** "" when the request carries none: the client has to meet a challenge then. */
  token: string;
  /** A token in the address, which only OAuth sessions may use. */
  queryToken: string;
  connectionId: string;
  sequenceNumber: string;
  wantsPostedAck: boolean;
};

/** What an upgrade request asks for; null when it is for another path. */
export function readUpgradeRequest(request: IncomingMessage): UpgradeRequest | null {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://backend.invalid");
  if (!PATH.test(pathname)) return null;
  const header = /^(?:bearer|token) (.+)$/i.exec(request.headers.authorization ?? "")?.[1]?.trim() ?? "";
  const token = readCookie(request.headers.cookie, "MMAUTHTOKEN") || header;
  return {
    token,
    queryToken: token ? "" : (searchParams.get("access_token") ?? ""),
    connectionId: searchParams.get("connection_id") ?? "",
    sequenceNumber: searchParams.get("sequence_number") ?? "",
    wantsPostedAck: searchParams.get("posted_ack") === "true",
  };
}

/** True without an Origin header, which is how programs call, and for pages of this very host. */
export function isSameOrigin({ headers }: IncomingMessage): boolean {
  if (!headers.origin) return true;
  try {
    return new URL(headers.origin).host.toLowerCase() === (headers.host ?? "").toLowerCase();
  } catch {
    // "null" and the like are nobody's origin.
    return false;
  }
}

export type UpgradeRefusal = {
  /** Of the answer; the body may name another. */
  status: 401 | 403 | 404;
  id: string;
  message: string;
  detail?: string;
  bodyStatus?: number;
  /** Text in front of the JSON body. */
  preamble?: string;
};

/** Answers an upgrade request as an ordinary one, in the backend's error shape, and ends the connection. */
export function refuseUpgrade(socket: Duplex, serverVersion: string, refusal: UpgradeRefusal): void {
  const { status, id, message, detail = "", bodyStatus = status, preamble = "" } = refusal;
  const requestId = makeId();
  const error = { id, message, detailed_error: detail, request_id: requestId, status_code: bodyStatus };
  const body = preamble + JSON.stringify(error);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${preamble ? "text/plain; charset=utf-8" : "application/json"}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-Version-Id: ${serverVersion}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
