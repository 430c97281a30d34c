import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { BypassError } from "./bypass-error.ts";

/** The part of an HTTP/2 stream that a response sends through. */
type Stream = Pick<
  ServerHttp2Stream,
  | "respond"
  | "respondWithFile"
  | "respondWithFD"
  | "pushStream"
  | "write"
  | "end"
  | "destroy"
  | "close"
  | "closed"
  | "destroyed"
  | "headersSent"
  | "rstCode"
  | "writableFinished"
>;

/** A response of `node:http`, or of `node:http2`, which has a stream. */
export type NodeResponse = ServerResponse & { stream?: Stream };

const starting = ["respond", "respondWithFile", "respondWithFD", "pushStream"] as const;

/**
 * Refuses what a handler sends through the stream itself, past the response that is held. The methods that begin an
 * answer throw. Those that a pipe calls, where nothing would catch an error, break the stream off, and `onFault`
 * receives the error. Returns the function that ends this.
 */
export function guardStream(stream: Stream, onFault: (error: Error) => void): () => void {
  const { write, end } = stream;
  const breakOff = (name: string, given: readonly unknown[]) => {
    const error = refused(name);
    const callback = given.findLast((value) => typeof value === "function");
    if (callback) queueMicrotask(() => callback(error));
    onFault(error);
    stream.destroy(error);
  };
  // Headers sent past the guard can't be taken back, so the rest of their answer belongs to them.
  const isOver = () => stream.closed || stream.destroyed || stream.headersSent;
  const guards: Record<string, (...given: unknown[]) => unknown> = {
    write(...given) {
      if (isOver()) return Reflect.apply(write, stream, given);
      breakOff("write", given);
      return false;
    },
    end(...given) {
      // Node itself ends the stream when it closes.
      if (isOver()) return Reflect.apply(end, stream, given);
      breakOff("end", given);
      return stream;
    },
  };
  for (const name of starting)
    guards[name] = () => {
      throw refused(name);
    };
  Object.assign(stream, guards);
  return () => {
    for (const [name, guard] of Object.entries(guards))
      if (Reflect.get(stream, name) === guard) Reflect.deleteProperty(stream, name);
  };
}

const refused = (name: string) =>
  new BypassError(
    "stream_refused",
    `stream.${name} would send content before its payment is recorded: behind a paywall, answer with ` +
      "response.writeHead, write and end, pipe files into the response, and push nothing",
  );
