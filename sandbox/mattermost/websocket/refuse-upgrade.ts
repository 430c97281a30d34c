import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { makeId } from "../id.ts";

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
