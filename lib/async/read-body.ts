import type { IncomingMessage } from "node:http";
import { CodedError } from "../errors.ts";

const MAX_BODY_BYTES = 65_536;

/** Returns the JSON of a response of up to 64 KiB, or `null` if it is longer or not JSON, such as an HTML page. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.bodyUsed) return null;
  const bytes = await readBytes(response.body, MAX_BODY_BYTES);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** Returns a body of up to `limit` bytes, or `null` for a longer one, which is not read any further. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    size += next.value.length;
    if (size > limit) {
      await reader?.cancel();
      return null;
    }
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.length;
  }
  return bytes;
}

/** Returns the UTF-8 text of a Node stream of up to `limit` bytes, or `null` for a longer one, which is destroyed. */
export async function readText(stream: AsyncIterable<Uint8Array>, limit: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const plain = /^(identity)?$/i;

/**
 * Returns the JSON of a request body of up to `limitBytes`.
 * @throws CodedError `unsupported_media_type`, then `payload_too_large`, then `invalid_json`.
 */
export function readJsonBody(
  { headers, body }: { headers: Pick<Headers, "get">; body: Request["body"] },
  limitBytes: number,
): Promise<unknown> {
  return parseJsonBody(headers, body !== null, limitBytes, () => readBytes(body, limitBytes));
}

/** Returns the JSON of the body of a `node:http` request with these headers, as `readJsonBody` does. */
export function readNodeJson(
  incoming: IncomingMessage,
  headers: Pick<Headers, "get">,
  { hasBody, limitBytes }: { hasBody: boolean; limitBytes: number },
): Promise<unknown> {
  return parseJsonBody(headers, hasBody, limitBytes, async () =>
    hasBody ? readNodeBytes(incoming, limitBytes) : new Uint8Array(),
  );
}

/** Returns a body of up to `limit` bytes, or `null` for a longer one, which is not read any further. */
function readNodeBytes(incoming: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (bytes: Uint8Array | null) => {
      incoming.off("data", onData).off("end", onEnd).off("close", onClose);
      resolve(bytes);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= limit) return;
      incoming.pause();
      end(null);
    };
    const onEnd = () => end(chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks));
    const onClose = () => reject(new Error("the client went away"));
    if (incoming.destroyed) onClose();
    else incoming.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

async function parseJsonBody(
  headers: Pick<Headers, "get">,
  hasBody: boolean,
  limitBytes: number,
  read: () => Promise<Uint8Array | null>,
): Promise<unknown> {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === undefined && !hasBody) throw new CodedError("invalid_json");
  if (type !== "application/json") throw new CodedError("unsupported_media_type");
  if (!plain.test(headers.get("content-encoding") ?? ""))
    throw new CodedError("unsupported_media_type", { message: "The body must be sent without compression." });
  const isTooLong = Number(headers.get("content-length") ?? 0) > limitBytes;
  const bytes = isTooLong ? null : await read();
  if (!bytes) throw new CodedError("payload_too_large");
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new CodedError("invalid_json");
  }
}
