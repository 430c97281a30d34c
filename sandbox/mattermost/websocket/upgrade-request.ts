import type { IncomingMessage } from "node:http";
import { readCookie } from "../http-session.ts";

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
