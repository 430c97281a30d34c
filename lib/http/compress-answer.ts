import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";
import type { OutgoingAnswer } from "./outgoing-answer.ts";

/** The types worth compressing. Pictures, web fonts and archives are already compressed. */
const COMPRESSIBLE =
  /^(text\/(?!event-stream)|image\/svg|application\/([\w.-]+\+)?(json|javascript|xml|wasm)\b)/i;
/** A smaller body fits into the same packet as its headers. */
const SMALLEST_BYTES = 1024;
/**
 * The paths of answers that contain both a token and text of the caller, so their compressed size would leak the
 * token (BREACH).
 */
const HOLDS_TOKEN = /^\/api\/(auth\/|chat\/(bootstrap|sign-ins)\b)/;
const NO_TRANSFORM = /(?:^|,)\s*no-transform\s*(?:,|$)/i;
const VARIES_ALREADY = /(?:^|,)\s*(?:\*|accept-encoding)\s*(?:,|$)/i;

/** The lowest level at which brotli makes scripts smaller than gzip does. */
const BROTLI_QUALITY = 5;

const compress = compression({
  threshold: SMALLEST_BYTES,
  filter: (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const given = (name: string) => outgoing.getHeader(name);
    if (!mayCompress(incoming, outgoing.statusCode, given)) return false;
    const tag = given("etag");
    if (typeof tag === "string") outgoing.setHeader("etag", weakened(tag));
    return true;
  },
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
});

/**
 * Compresses an answer with brotli or gzip if its request accepts them, whatever code writes it. A stream
 * still arrives part by part if its writer flushes each part, as Next does.
 */
export function compressAnswer(incoming: IncomingMessage, outgoing: ServerResponse): void {
  compress(incoming, outgoing, () => {});
}

/**
 * Compresses an answer whose head is known before it is written, and completes that head. An uncompressed
 * answer is written by Node directly, because the wrapper costs a good part of a short request. In either
 * case, streams are sent as they arrive.
 */
export function compressPrepared(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers }: Pick<OutgoingAnswer, "status" | "headers">,
): void {
  const length = headers.get("content-length") ?? undefined;
  if (incoming.method !== "HEAD" && length === undefined) return;
  if (!mayCompress(incoming, status, (name) => headers.get(name) ?? undefined)) return;
  const vary = headers.get("vary");
  if (!vary) headers.set("vary", "Accept-Encoding");
  else if (!VARIES_ALREADY.test(vary)) headers.set("vary", `${vary}, Accept-Encoding`);
  const tag = headers.get("etag");
  if (tag) headers.set("etag", weakened(tag));
  const isShort = Number(length) < SMALLEST_BYTES;
  if (!isShort && incoming.headers["accept-encoding"] !== undefined) compressAnswer(incoming, outgoing);
}

function mayCompress(
  { url: path = "" }: IncomingMessage,
  status: number,
  header: (name: string) => unknown,
): boolean {
  if (!COMPRESSIBLE.test(String(header("content-type") ?? ""))) return false;
  if (status === 206 || header("content-range") !== undefined) return false;
  if (header("set-cookie") !== undefined || HOLDS_TOKEN.test(path)) return false;
  return !NO_TRANSFORM.test(String(header("cache-control") ?? ""));
}

/**
 * Weakens a tag: the same tag names the plain and the compressed form, which a strong tag must not do (RFC
 * 9110, 8.8.1).
 */
const weakened = (tag: string): string => (tag.startsWith('"') ? `W/${tag}` : tag);
