import type { ZodType, z } from "zod";
import { CodedError } from "../errors.ts";

/** What a route takes where it says nothing else. */
export const BODY_LIMIT_BYTES = 65_536;

/**
 * Parses a value of the caller's.
 * @throws CodedError `invalid_request` with the issues.
 */
export function validate<T extends ZodType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join("."),
    message,
  }));
  throw new CodedError("invalid_request", { issues });
}

const plain = /^(identity)?$/i;

/**
 * Reads a JSON body of at most `limitBytes`.
 * @throws CodedError `unsupported_media_type`, then `payload_too_large`, then `invalid_json`.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === undefined && request.body === null) throw new CodedError("invalid_json");
  if (type !== "application/json") throw new CodedError("unsupported_media_type");
  if (!plain.test(request.headers.get("content-encoding") ?? ""))
    throw new CodedError("unsupported_media_type", { message: "The body must be sent without compression." });
  const bytes = await readBytes(request, limitBytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new CodedError("invalid_json");
  }
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes)
    throw new CodedError("payload_too_large");
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > limitBytes) {
      await reader.cancel();
      throw new CodedError("payload_too_large");
    }
    chunks.push(value);
  }
}
