import type { OutgoingHttpHeader, ServerResponse } from "node:http";
import { isLive, isTooMuch } from "./collect-body.ts";
import { guardStream, type NodeResponse } from "./guard-stream.ts";
import { watchSocket } from "./watch-socket.ts";

/** A held response. */
export type HeldResponse = {
  /** Returns whether the handler has sent anything yet, held or not. */
  hasBegun(): boolean;
  /** Returns how many bytes of content it has sent, if it declared their number. */
  sentBytes(): number;
  /** Ends the hold and returns `true`, unless something was sent or the connection has closed. */
  letGo(): boolean;
};

type Methods = Pick<ServerResponse, "writeHead" | "flushHeaders" | "write" | "end">;

/**
 * Holds a response back at its first byte until `decide` has seen the status and resolved; from then on it
 * streams. `decide` may set headers while it runs. If it resolves to a function, that writes the answer, and
 * the handler's own is discarded. If `collects` returns `true` for the status, the content is held until its
 * end, up to 1 MiB, or until the handler flushes its headers; an event stream is not held. `abandon` is
 * called if the connection closes before `decide` is called, and `complete` when the declared amount of
 * content has been sent, whether or not the handler ends its answer. `bypass` is called instead of both `decide` and
 * `abandon` if an answer goes past the response, over HTTP/1 before its first byte leaves once this resolved, and
 * `onFault` for each attempt on an HTTP/2 stream, which is refused.
 *
 * Other middleware may wrap the replaced methods meanwhile and keep them for good. Therefore the replaced
 * methods pass calls through afterwards, and only those that nothing has wrapped are restored.
 */
export function holdResponse(
  response: NodeResponse,
  hooks: {
    collects(status: number): boolean;
    decide(status: number): Promise<(() => void) | null>;
    abandon(): void;
    complete(): void;
    /** Returns whether the answer was recorded. */
    bypass(): Promise<boolean>;
    onFault(error: Error): void;
    /** Receives all of the content, if given. */
    copy?: ((chunk: Uint8Array) => void) | undefined;
  },
): HeldResponse {
  const { writeHead, flushHeaders, write, end } = response;
  const original: Methods = { writeHead, flushHeaders, write, end };
  const own = new Set(Object.keys(original).filter((name) => Object.hasOwn(response, name)));
  const held: Array<() => void> = [];
  let heldCharacters = 0;
  let isDecided = false;
  let sent = 0;
  let passed = 0;
  let phase: "holding" | "passing" | "withheld" = "holding";
  let isAbandoned = false;
  let isBypassed = false;

  const copy = (given: unknown[]) => {
    if (hooks.copy && bytesOf(given) > 0) hooks.copy(toBytes(given));
  };
  const unguard = response.stream ? guardStream(response.stream, hooks.onFault) : () => {};
  const abandon = () => {
    isAbandoned = true;
    unwatch();
    if (response.stream?.headersSent) void hooks.bypass();
    else hooks.abandon();
  };
  const pass = () => {
    isDecided = true;
    response.off("close", abandon);
    release(response.statusCode, null);
  };
  const bypass = async () => {
    if (isDecided || isAbandoned) return true;
    isBypassed = true;
    const recorded = hooks.bypass();
    pass();
    return recorded;
  };
  const unwatch = watchSocket(response, bypass);
  const putBack = (name: keyof Methods) => {
    if (response[name] !== holding[name]) return;
    if (own.has(name)) Object.assign(response, { [name]: original[name] });
    else Reflect.deleteProperty(response, name);
  };
  const release = (status: number, instead: (() => void) | null) => {
    Reflect.deleteProperty(response, "headersSent");
    unwatch();
    unguard();
    if (!instead) {
      phase = "passing";
      // An error handler may have set another status, too late.
      response.statusCode = status;
      // Content of a declared length is still counted.
      const isCounted = hooks.copy !== undefined || response.hasHeader("content-length");
      const over: ReadonlyArray<keyof Methods> = ["writeHead", "flushHeaders"];
      for (const name of isCounted ? over : (Object.keys(original) as Array<keyof Methods>)) putBack(name);
      for (const next of held) next();
      if (!response.writableEnded && !response.writableNeedDrain) response.emit("drain");
      return;
    }
    phase = "withheld";
    // Bypasses any wrappers: compression, for instance, would compress the replacement answer.
    Object.assign(response, original);
    instead();
    // The handler can continue to write, without effect. Only a push could still send something.
    if (response.stream) guardStream(response.stream, hooks.onFault);
    Object.assign(response, { write: () => true, end: () => response, flushHeaders: () => {} });
  };
  /** Returns whether the handler can continue at once, because its content is collected. */
  const hold = (next: () => void, { chunk, isLast }: { chunk?: unknown; isLast: boolean }): boolean => {
    if (response.stream?.headersSent) void bypass();
    if (isAbandoned || isBypassed) return false;
    // Called as Node does at the first byte, so that middleware that wrapped it adds its headers or begins to
    // compress.
    if (held.length === 0 && response.writeHead !== holding.writeHead)
      response.writeHead(response.statusCode);
    const { statusCode: status } = response;
    // Node would throw only while sending the content, which by then already counts as delivered.
    assertSendable(status, chunk);
    held.push(next);
    // From here on, an error handler must not begin another answer.
    Object.defineProperty(response, "headersSent", { value: true, configurable: true });
    if (isDecided) return false;
    if (!isLast && !isTooMuch(sent) && hooks.collects(status) && !isLive(typeOf(response))) return true;
    isDecided = true;
    response.off("close", abandon);
    hooks
      .decide(status)
      .then((instead) => release(status, instead))
      .catch((error: Error) => response.destroy(error));
    return false;
  };

  const passHeaders = () => {
    Reflect.apply(flushHeaders, response, []);
    if (toldLength(response) === 0) hooks.complete();
  };
  const passContent = (given: unknown[]) => {
    passed += bytesOf(given);
    const isComplete = passed >= toldLength(response);
    return Reflect.apply(write, response, isComplete ? withCallback(given, hooks.complete) : given);
  };

  response.once("close", abandon);
  const holding = {
    writeHead(...given: unknown[]) {
      if (phase === "passing") return Reflect.apply(writeHead, response, given);
      if (phase === "withheld" || held.length > 0) return response;
      const [status, ...rest] = given;
      response.statusCode = status as number;
      // HTTP/2 has no status message.
      if (typeof rest[0] === "string" && response.req.httpVersionMajor < 2) response.statusMessage = rest[0];
      setHeaders(rest.at(-1));
      return response;
    },
    flushHeaders() {
      if (phase === "passing") passHeaders();
      if (phase === "holding") hold(passHeaders, { isLast: true });
    },
    write(...given: unknown[]) {
      if (phase === "withheld") return true;
      sent += bytesOf(given);
      if (phase === "passing") {
        copy(given);
        return passContent(given);
      }
      heldCharacters += (given[0] as string | Uint8Array | null)?.length ?? 0;
      let content = given;
      const canContinue = hold(() => passContent(content), { chunk: given[0], isLast: false });
      copy(given);
      if (canContinue) {
        content = given.filter((value) => typeof value !== "function");
        // A handler may wait for its callback before it writes more.
        for (const call of given) if (typeof call === "function") queueMicrotask(() => call());
        return true;
      }
      // Returns false once content has filled the buffer. A stream in front of the response detects by itself
      // when the buffer has drained.
      return heldCharacters < response.writableHighWaterMark;
    },
    end(...given: unknown[]) {
      if (phase === "withheld") return response;
      // The `end` of HTTP/2 calls `write` for its content.
      const isOwn = response.req.httpVersionMajor < 2;
      if (isOwn) sent += bytesOf(given);
      if (phase === "holding")
        hold(() => Reflect.apply(end, response, given), {
          ...(typeof given[0] !== "function" && { chunk: given[0] }),
          isLast: true,
        });
      if (isOwn) copy(given);
      return phase === "passing" ? Reflect.apply(end, response, given) : response;
    },
  };
  Object.assign(response, holding);
  const hasBegun = () => held.length > 0 || isBypassed || response.stream?.headersSent === true;
  const letGo = () => {
    if (hasBegun() || isAbandoned) return false;
    pass();
    return true;
  };
  return { hasBegun, sentBytes: () => sent, letGo };

  /** Headers in a head replace those set earlier; a name that occurs twice in the head keeps both values. */
  function setHeaders(headers: unknown): void {
    const merged = new Map<string, [name: string, value: OutgoingHttpHeader]>();
    for (const [name, value] of headerPairs(headers)) {
      const [, present] = merged.get(name.toLowerCase()) ?? [];
      const both = present === undefined ? value : [present, value].flat().map(String);
      merged.set(name.toLowerCase(), [name, both]);
    }
    for (const [name, value] of merged.values()) response.setHeader(name, value);
  }
}

const typeOf = (response: ServerResponse) => response.getHeader("content-type");

/** Returns the length of the content that the headers declare, or NaN. */
export function toldLength(response: ServerResponse): number {
  // The `content-length` of these answers, if any, is that of another answer (RFC 9110, 6.4.1 and 9.3.2).
  const isBodiless = response.statusCode === 204 || response.statusCode === 304;
  return isBodiless || response.req.method === "HEAD"
    ? 0
    : Number(response.getHeader("content-length") ?? Number.NaN);
}

/**
 * Returns the arguments of `write` with a callback that calls `then` after their own, once the content has
 * been sent.
 */
function withCallback(given: readonly unknown[], then: () => void): unknown[] {
  // Middleware can pass on arguments that it was not given.
  const present = given.slice(0, given.findLastIndex((value) => value !== undefined) + 1);
  const callback = present.at(-1);
  const call = typeof callback === "function" ? callback : undefined;
  const after = (error?: Error | null) => {
    call?.(error);
    if (!error) then();
  };
  return [...(call ? present.slice(0, -1) : present), after];
}

/** Returns the length of the content passed to `write` or `end`. */
function bytesOf([chunk, encoding]: readonly unknown[]): number {
  if (chunk instanceof Uint8Array) return chunk.byteLength;
  return typeof chunk === "string" ? Buffer.byteLength(chunk, encoding as BufferEncoding) : 0;
}

function toBytes([chunk, encoding]: readonly unknown[]): Uint8Array {
  return chunk instanceof Uint8Array ? chunk : Buffer.from(chunk as string, encoding as BufferEncoding);
}

function headerPairs(headers: unknown): Array<[string, OutgoingHttpHeader]> {
  const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
  const pairs: Array<[string, OutgoingHttpHeader | undefined]> = isFlat
    ? headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []))
    : Array.isArray(headers)
      ? headers
      : typeof headers === "object" && headers !== null
        ? Object.entries(headers)
        : [];
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

function assertSendable(status: number, chunk: unknown): void {
  if (!Number.isInteger(status) || status < 100 || status > 999) throw new RangeError("not a status code");
  const isContent = chunk === undefined || typeof chunk === "string" || chunk instanceof Uint8Array;
  if (!isContent && chunk !== null) throw new TypeError("content must be text or bytes");
}
