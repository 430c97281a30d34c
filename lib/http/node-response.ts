import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "./headers.ts";

/** What of an unread request body is thrown away so that the answer reaches a client that is still sending. */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;
const MAX_DISCARDING_MS = 5000;

/** Writes an answer; a slow reader slows the stream, and a reader that went away ends it. */
export async function sendResponse(
  response: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  discardRest(incoming);
  const headers: string[] = [];
  for (const [name, value] of response.headers) headers.push(name, value);
  const isBodyless = incoming.method === "HEAD" || response.status === 204 || response.status === 304;
  if (response.body === null || isBodyless) {
    if (response.body instanceof ReadableStream) response.body.cancel().catch(() => undefined);
    if (response.body === null && !isBodyless) headers.push("content-length", "0");
    outgoing.writeHead(response.status, headers).end();
    return;
  }
  if (typeof response.body === "string") {
    headers.push("content-length", String(Buffer.byteLength(response.body)));
    outgoing.writeHead(response.status, headers).end(response.body);
    return;
  }
  const reader = response.body.getReader();
  outgoing.once("close", () => void reader.cancel().catch(() => undefined));
  const first = await reader.read();
  let next = reader.read();
  const isWhole = first.done || (await isDoneAtOnce(next));
  if (isWhole) {
    const bytes = first.value ?? new Uint8Array();
    if (!response.headers.has("content-length")) headers.push("content-length", String(bytes.byteLength));
    outgoing.writeHead(response.status, headers).end(bytes);
    return;
  }
  outgoing.writeHead(response.status, headers);
  await write(outgoing, first.value ?? new Uint8Array());
  for (;;) {
    const { done, value } = await next;
    if (done || outgoing.destroyed) break;
    await write(outgoing, value);
    next = reader.read();
  }
  outgoing.end();
}

/** Short answers are one chunk: found out before the head is written, they go out with a length and in one packet. */
function isDoneAtOnce(next: Promise<ReadableStreamReadResult<Uint8Array>>): Promise<boolean> {
  return Promise.race([
    next.then(
      ({ done }) => done,
      () => false,
    ),
    new Promise<boolean>((resolve) => setImmediate(resolve, false)),
  ]);
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
