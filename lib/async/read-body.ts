import { CodedError } from "../errors.ts";

const MAX_BODY_BYTES = 65_536;

/** The JSON of an answer of at most 64 KiB; `null` for what is longer, or no JSON: a page for people, say. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.bodyUsed) return null;
  const bytes = await readBytes(response.body, MAX_BODY_BYTES);
  try {
    return bytes && JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // No JSON.
    return null;
  }
}

/** The bytes of a body of at most `limit`; `null` for a longer one, of which no more is read. */
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

/** The UTF-8 text of a stream of Node of at most `limit` bytes; `null` for a longer one, which is destroyed. */
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
 * The JSON of a request's body of at most `limitBytes`.
 * @throws CodedError `unsupported_media_type`, then `payload_too_large`, then `invalid_json`.
 */
export async function readJsonBody({ headers, body }: Request, limitBytes: number): Promise<unknown> {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === undefined && body === null) throw new CodedError("invalid_json");
  if (type !== "application/json") throw new CodedError("unsupported_media_type");
  if (!plain.test(headers.get("content-encoding") ?? ""))
    throw new CodedError("unsupported_media_type", { message: "The body must be sent without compression." });
  const isTooLong = Number(headers.get("content-length") ?? 0) > limitBytes;
  const bytes = isTooLong ? null : await readBytes(body, limitBytes);
  if (!bytes) throw new CodedError("payload_too_large");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new CodedError("invalid_json");
  }
}
