import type { IncomingMessage, ServerResponse } from "node:http";
import { type AbortEvent, Departure } from "../async/departure.ts";
import { noteResponse } from "../async/end-of-answer.ts";
import { isPushed, type PushedBody } from "../async/pushed-body.ts";
import { readJsonBody, readNodeJson } from "../async/read-body.ts";
import { CodedError } from "../errors.ts";
import { CLIENT_ADDRESS_HEADER, networkOf, type RequestHead, type RequestHeaders } from "./client-address.ts";
import { compressPrepared } from "./compress-answer.ts";
import type { Answer } from "./headers.ts";
import {
  bodyOf,
  isEmptied,
  type OutgoingAnswer,
  ownHeaders,
  prepareAnswer,
  prepareComplete,
} from "./outgoing-answer.ts";

/**
 * A request that uses the given signal itself. The constructor would chain another signal to it, which accounts for
 * most of a request's cost.
 */
class NodeRequest extends Request {
  readonly #signal: AbortSignal;

  constructor(address: string, init: RequestInit & { duplex: "half" }, signal: AbortSignal) {
    super(address, init);
    this.#signal = signal;
  }

  override get signal(): AbortSignal {
    return this.#signal;
  }
}

/** The input of a route: the head of a request, and its web form for routes that use it. */
export type AskedRequest = RequestHead & {
  /** Reports the same event as the signal, at less cost. */
  readonly gone: AbortEvent;
  readonly request: Request;
  /**
   * Reads the request's body as JSON, once, and without creating the web form. @throws CodedError as
   * `readJsonBody` does
   */
  readJson(limitBytes: number): Promise<unknown>;
};

/** A node request that creates its web form on demand, because that costs more than most routes. */
export class LazyRequest implements AskedRequest {
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly #incoming: IncomingMessage;
  readonly #gone: AbortSignal | Departure;
  readonly #outgoing: ServerResponse | undefined;
  readonly #isSecure: boolean;
  #request: Request | undefined;

  /**
   * `gone` reports that the client disconnects. Paywalls measure what `outgoing` has sent.
   * @throws CodedError `invalid_request` for a target or `Host` that is not an address
   */
  constructor(
    incoming: IncomingMessage,
    gone: AbortSignal | Departure,
    trustProxy: number,
    outgoing?: ServerResponse,
  ) {
    this.method = incoming.method ?? "GET";
    const { headers } = incoming;
    this.#isSecure = trustProxy > 0 && headers["x-forwarded-proto"] === "https";
    this.#incoming = incoming;
    // If a host is valid, any path that begins with a slash is valid behind it.
    if (!(incoming.url?.startsWith("/") && isHost(headers.host)) && !URL.canParse(this.url)) throw notValid();
    noteClientAddress(incoming, trustProxy);
    this.headers = headersOf(incoming);
    this.#gone = gone;
    this.#outgoing = outgoing;
  }

  get url(): string {
    const { url: path = "/", headers } = this.#incoming;
    return addressOf({ path, host: headers.host, isSecure: this.#isSecure });
  }

  get signal(): AbortSignal {
    const gone = this.#gone;
    return gone instanceof Departure ? gone.signal : gone;
  }

  get gone(): AbortEvent {
    return this.#gone;
  }

  readJson(limitBytes: number): Promise<unknown> {
    const hasOwnBody = hasBody(this.#incoming);
    return readNodeJson(this.#incoming, this.headers, { hasBody: hasOwnBody, limitBytes });
  }

  /** @throws CodedError `invalid_request` */
  get request(): Request {
    this.#request ??= this.#makeRequest();
    return this.#request;
  }

  #makeRequest(): Request {
    const headers = new Headers();
    const given = this.#incoming.headers;
    try {
      for (const name in given) {
        const value = given[name];
        if (typeof value === "string") headers.set(name, value);
        else for (const part of value ?? []) headers.append(name, part);
      }
      const body = hasBody(this.#incoming) ? streamOf(this.#incoming) : null;
      const init = { method: this.method, headers, body, duplex: "half" as const };
      const request = new NodeRequest(this.url, init, this.signal);
      if (this.#outgoing) noteResponse(request, this.#outgoing);
      return request;
    } catch (cause) {
      throw notValid(cause);
    }
  }
}

let lastHost: string | undefined;

/**
 * Returns whether a host is valid in an address. Most requests name the same host, which is checked only
 * once.
 */
function isHost(host = "localhost"): boolean {
  if (host === lastHost) return true;
  if (!URL.canParse(`http://${host}/`)) return false;
  lastHost = host;
  return true;
}

const notValid = (cause?: unknown) =>
  new CodedError("invalid_request", { message: "The request line or a header is not valid.", cause });

/** Creates the web form of a node request. @throws CodedError `invalid_request` */
export function toWebRequest(
  incoming: IncomingMessage,
  signal: AbortSignal,
  trustProxy: number,
  outgoing?: ServerResponse,
): Request {
  return new LazyRequest(incoming, signal, trustProxy, outgoing).request;
}

/**
 * Restores the address that the client requested in a request from Next, which substitutes the address that
 * it listens on, and trusts `x-forwarded-proto` from anyone.
 */
export function askedFromNext(given: Request, trustProxy: number): AskedRequest {
  const { method, headers, signal } = given;
  // Next passes an empty stream if there is no body.
  const hasBody = headers.has("content-type") || isBodyAnnounced((name) => headers.get(name));
  const body = hasBody ? given.body : null;
  const { pathname, search } = new URL(given.url);
  const url = addressOf({
    path: pathname + search,
    host: headers.get("host"),
    isSecure: trustProxy > 0 && headers.get("x-forwarded-proto") === "https",
  });
  let request: Request | undefined;
  return {
    ...{ method, url, headers, signal },
    gone: signal,
    readJson(limitBytes) {
      return readJsonBody(this.request, limitBytes);
    },
    get request() {
      request ??= new NodeRequest(url, { method, headers, body, duplex: "half" }, signal);
      return request;
    },
  };
}

/** Puts the client's address in the header where routes read it, in place of any such header from outside. */
export function noteClientAddress(incoming: IncomingMessage, trustProxy: number): void {
  incoming.headers[CLIENT_ADDRESS_HEADER] = networkOf(resolveClientAddress(incoming, trustProxy));
}

class NodeHeaders implements RequestHeaders {
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get(name: string): string | null {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  }
}

/** Returns the headers of a node request, by lower-case names. */
export const headersOf = (incoming: IncomingMessage): RequestHeaders => new NodeHeaders(incoming);

/** Returns the client's network address; behind trusted proxies, the entry that the outermost one wrote. */
export function resolveClientAddress(incoming: IncomingMessage, trustProxy: number): string {
  const socketAddress = incoming.socket.remoteAddress ?? "unknown";
  const forwarded = incoming.headers["x-forwarded-for"];
  if (trustProxy === 0 || forwarded === undefined) return socketAddress;
  const entries = String(forwarded).split(",");
  return entries[Math.max(0, entries.length - trustProxy)]?.trim() || socketAddress;
}

function addressOf({
  path,
  host,
  isSecure,
}: {
  path: string;
  host: string | null | undefined;
  isSecure: boolean;
}): string {
  return `${isSecure ? "https" : "http"}://${host ?? "localhost"}${path}`;
}

/** Returns whether a request announces a body that a route might read. */
export function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return isBodyAnnounced((name) => headers[name]);
}

/** Returns whether a head announces a body (RFC 9112, 6.3). */
const isBodyAnnounced = (header: (name: string) => unknown) =>
  (header("transfer-encoding") ?? null) !== null || Number(header("content-length") ?? 0) > 0;

/**
 * Replaces `Readable.toWeb`, which cuts the connection when a reader cancels, so that the answer that
 * explains why is lost.
 */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        if (incoming.destroyed) return controller.error(new Error("the client disconnected"));
        incoming.pause();
        incoming.on("data", (chunk: Buffer) => {
          if (!isOpen) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => {
          if (isOpen) controller.close();
          isOpen = false;
        });
        incoming.on("close", () => {
          if (isOpen) controller.error(new Error("the client disconnected"));
          isOpen = false;
        });
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        isOpen = false;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Maximum unread bytes of a request body to discard, so that the answer reaches a client that is still sending. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;
const MAX_DISCARDING_MS = 5000;

/** Writes an answer. A slow reader slows the stream, and a disconnected reader ends it. */
export function sendResponse(
  response: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> | undefined {
  discardRest(incoming);
  const body = isEmptied(response, incoming.method) ? null : bodyOf(response);
  if (body instanceof ReadableStream) return sendStream(response, incoming, outgoing);
  if (isPushed(body)) return sendPushed(response, body, incoming, outgoing);
  send(prepareComplete(response, incoming.method), incoming, outgoing);
  return undefined;
}

/** Writes the head of an answer, and its body if that is complete. */
function send(
  { status, headers, body }: OutgoingAnswer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  compressPrepared(incoming, outgoing, { status, headers });
  const lines: string[] = [];
  headers.forEach((value, name) => void lines.push(name, value));
  outgoing.writeHead(status, lines);
  if (body === null) outgoing.end();
  else if (typeof body === "string" || body instanceof Uint8Array) outgoing.end(body);
}

/** Writes a pushed body as it arrives. */
function sendPushed(
  response: Answer,
  body: PushedBody,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  if (outgoing.destroyed) {
    body.cancel();
    return Promise.resolve();
  }
  send({ status: response.status, headers: ownHeaders(response), body }, incoming, outgoing);
  return new Promise((resolve, reject) => {
    outgoing.on("drain", () => body.resume());
    outgoing.once("close", () => {
      body.cancel();
      resolve();
    });
    body.begin({
      chunk: (bytes) => !outgoing.destroyed && outgoing.write(bytes),
      end() {
        outgoing.end();
        resolve();
      },
      fail: reject,
    });
  });
}

async function sendStream(
  response: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const prepared = await prepareAnswer(response, incoming.method, (reader) => {
    outgoing.once("close", () => void reader.cancel().catch(() => undefined));
  });
  send(prepared, incoming, outgoing);
  const { body } = prepared;
  if (body === null || typeof body === "string" || body instanceof Uint8Array || isPushed(body)) return;
  await write(outgoing, body.first);
  let { next } = body;
  for (;;) {
    const { done, value } = await next;
    if (done || outgoing.destroyed) break;
    await write(outgoing, value);
    next = body.reader.read();
  }
  outgoing.end();
}

async function write(outgoing: ServerResponse, chunk: Uint8Array): Promise<void> {
  if (outgoing.destroyed || outgoing.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      outgoing.off("drain", go);
      outgoing.off("close", go);
      resolve();
    };
    outgoing.on("drain", go);
    outgoing.on("close", go);
  });
}

function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  let discarded = 0;
  const cut = setTimeout(() => incoming.socket.destroy(), MAX_DISCARDING_MS);
  cut.unref();
  incoming.removeAllListeners("data");
  incoming.on("data", (chunk: Buffer) => {
    discarded += chunk.byteLength;
    if (discarded > MAX_DISCARDED_BYTES) incoming.socket.destroy();
  });
  incoming.once("close", () => clearTimeout(cut));
  incoming.resume();
}
