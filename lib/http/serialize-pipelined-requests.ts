import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

type Serve = (incoming: IncomingMessage, outgoing: ServerResponse) => void;
type Request = [incoming: IncomingMessage, outgoing: ServerResponse];

/** Of one connection; its client would have to send them all without waiting for an answer. */
const MOST_WAITING = 100;

/**
 * Serves the requests of one connection one after another, as their answers go out one after another anyway: else a
 * single client that sends without waiting would have thousands of them served at once. Too many waiting end it.
 */
export function serializePipelinedRequests(serve: Serve): Serve {
  const waiting = new WeakMap<Socket, Request[]>();

  const begin = (socket: Socket, [incoming, outgoing]: Request) => {
    outgoing.once("close", () => {
      const next = socket.destroyed ? undefined : waiting.get(socket)?.shift();
      if (next) begin(socket, next);
      else waiting.delete(socket);
    });
    serve(incoming, outgoing);
  };

  return (incoming, outgoing) => {
    const { socket } = incoming;
    const queue = waiting.get(socket);
    if (!queue) {
      waiting.set(socket, []);
      begin(socket, [incoming, outgoing]);
    } else if (queue.length < MOST_WAITING) queue.push([incoming, outgoing]);
    else socket.destroy();
  };
}
