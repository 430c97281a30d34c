import type { ServerResponse } from "node:http";

/** A response of `node:http`, or one of `node:http2`, which has a stream. */
type NodeResponse = Pick<ServerResponse, "destroyed" | "socket"> & {
  stream?: { destroyed: boolean; rstCode?: number | undefined; writableFinished: boolean };
};

/**
 * Returns whether what a response has written was handed to the system, where Node says so: it emits `finish`, and calls
 * those who write back without an error, also when the client leaves while bytes still wait. To be asked before the
 * listeners of `finish` that were added first, which take the socket away.
 */
export function isHandedOver({ destroyed, socket, stream }: NodeResponse): boolean {
  if (stream) return stream.rstCode === 0 && (stream.writableFinished || !stream.destroyed);
  return !destroyed && socket?.destroyed === false;
}

/** Resolves once a response has ended: to true if all of it was handed to the system. */
export function endOfAnswer(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    response.prependOnceListener("finish", () => resolve(isHandedOver(response)));
    response.once("close", () => resolve(false));
  });
}

const responses = new WeakMap<object, ServerResponse>();

/** Notes which response answers a web request, for those that have to know whether it was sent. */
export function noteResponse(request: object, response: ServerResponse): void {
  responses.set(request, response);
}

/** Returns the response that answers a web request; undefined on servers that do not note it. */
export function findResponse(request: object): ServerResponse | undefined {
  return responses.get(request);
}
