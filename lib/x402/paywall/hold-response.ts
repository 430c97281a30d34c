import type { OutgoingHttpHeader, ServerResponse } from "node:http";

type Methods = Pick<ServerResponse, "writeHead" | "flushHeaders" | "write" | "end">;

/**
 * Holds a response back at its first byte until `decide` has seen the status and resolved; from then on it streams.
 * `decide` may set headers while it runs; when it resolves to `false`, `instead` writes the answer and the handler's
 * own goes nowhere. `abandon` is called when the connection closes before the first byte. Returns whether the handler has
 * sent anything yet.
 */
export function holdResponse(
  response: ServerResponse,
  hooks: { decide(status: number): Promise<boolean>; instead(): void; abandon(): void },
): () => boolean {
  const { writeHead, flushHeaders, write, end } = response;
  const original: Methods = { writeHead, flushHeaders, write, end };
  const held: Array<() => void> = [];
  let isAbandoned = false;

  const abandon = () => {
    isAbandoned = true;
    hooks.abandon();
  };
  const release = (mayPass: boolean) => {
    Object.assign(response, original);
    if (mayPass) {
      for (const next of held) next();
      if (!response.writableEnded && !response.writableNeedDrain) response.emit("drain");
      return;
    }
    hooks.instead();
    // The handler may go on writing, into nothing.
    Object.assign(response, { write: () => true, end: () => response, flushHeaders: () => {} });
  };
  const hold = (next: () => void, chunk?: unknown) => {
    if (isAbandoned) return;
    // Node would throw once the content goes out, which is too late: it counts as delivered then.
    assertSendable(response.statusCode, chunk);
    held.push(next);
    if (held.length > 1) return;
    response.off("close", abandon);
    hooks
      .decide(response.statusCode)
      .then(release)
      .catch((error: Error) => response.destroy(error));
  };

  response.once("close", abandon);
  const holding = {
    writeHead(status: number, ...rest: unknown[]) {
      response.statusCode = status;
      if (typeof rest[0] === "string") response.statusMessage = rest[0];
      for (const [name, value] of headerPairs(rest.at(-1))) response.appendHeader(name, value);
      return response;
    },
    flushHeaders: () => hold(() => response.flushHeaders()),
    write(...given: unknown[]) {
      hold(() => Reflect.apply(write, response, given), given[0]);
      return false;
    },
    end(...given: unknown[]) {
      hold(() => Reflect.apply(end, response, given), typeof given[0] === "function" ? undefined : given[0]);
      return response;
    },
  };
  Object.assign(response, holding);
  return () => held.length > 0;

  function headerPairs(headers: unknown): Array<[string, string | readonly string[]]> {
    const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
    const pairs: Array<[string, OutgoingHttpHeader]> = isFlat
      ? headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : []))
      : Array.isArray(headers)
        ? headers
        : typeof headers === "object" && headers !== null
          ? Object.entries(headers as Record<string, OutgoingHttpHeader>)
          : [];
    // What the head names replaces what was set before; a name that comes twice in it keeps both.
    for (const [name] of pairs) response.removeHeader(name);
    return pairs.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)]],
    );
  }
}

function assertSendable(status: number, chunk: unknown): void {
  if (!Number.isInteger(status) || status < 100 || status > 999) throw new RangeError("not a status code");
  const isContent = chunk === undefined || typeof chunk === "string" || chunk instanceof Uint8Array;
  if (!isContent && chunk !== null) throw new TypeError("content must be text or bytes");
}
