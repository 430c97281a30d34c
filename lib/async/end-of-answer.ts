import type { ServerResponse } from "node:http";

/** A response of `node:http`, or of `node:http2`, which has a stream. */
type NodeResponse = Pick<ServerResponse, "destroyed" | "socket"> & {
  stream?: { destroyed: boolean; rstCode?: number | undefined; writableFinished: boolean };
};

/**
 * Returns whether the operating system accepted everything that a response has written. Node does not report
 * this directly: it emits `finish`, and calls write callbacks without an error, even if the client leaves
 * while bytes are waiting. Call this ahead of the other `finish` listeners, because they detach the socket.
 */
export function isHandedOver({ destroyed, socket, stream }: NodeResponse): boolean {
  if (stream) return stream.rstCode === 0 && (stream.writableFinished || !stream.destroyed);
  return !destroyed && socket?.destroyed === false;
}

/** Resolves once a response has ended: true if the operating system accepted all of it. */
export function endOfAnswer(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    response.prependOnceListener("finish", () => resolve(isHandedOver(response)));
    response.once("close", () => resolve(false));
  });
}

const responses = new WeakMap<object, ServerResponse>();

/** Records which response belongs to a web request, for code that must know whether it was sent. */
export function noteResponse(request: object, response: ServerResponse): void {
  responses.set(request, response);
}

/** Returns the response to a web request, or undefined on servers that do not record it. */
export function findResponse(request: object): ServerResponse | undefined {
  return responses.get(request);
}
