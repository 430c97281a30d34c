import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:zlib";
import compression from "compression";

/** Texts; pictures, fonts of the web and archives are compressed already. */
const COMPRESSIBLE =
  /^(text\/(?!event-stream)|image\/svg|application\/([\w.-]+\+)?(json|javascript|xml|wasm)\b)/i;
/** Smaller bodies fit into the packet of their headers. */
const SMALLEST_BYTES = 1024;
/** Answers that give out a token beside words of the caller: how well they shrink would tell of it (BREACH). */
const HOLDS_TOKEN = /^\/api\/(auth\/|chat\/(bootstrap|sign-ins)\b)/;

/** The least that makes scripts smaller than gzip does. */
const BROTLI_QUALITY = 5;

const compress = compression({
  threshold: SMALLEST_BYTES,
  filter: mayCompress,
  brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
});

/**
 * Has an answer compressed with brotli or gzip, as its request accepts, whoever writes it. A stream is compressed only
 * where a page writes it, which flushes each part; others go out as they come.
 */
export function compressAnswer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: () => void,
): void {
  compress(incoming, outgoing, answer);
}

function mayCompress(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  const path = incoming.url ?? "";
  if (!COMPRESSIBLE.test(String(outgoing.getHeader("content-type") ?? ""))) return false;
  if (outgoing.statusCode === 206 || outgoing.hasHeader("content-range")) return false;
  if (outgoing.hasHeader("set-cookie") || HOLDS_TOKEN.test(path)) return false;
  const isStream = incoming.method !== "HEAD" && !outgoing.hasHeader("content-length");
  if (isStream && path.startsWith("/api/")) return false;
  weakenTag(outgoing);
  return true;
}

/** One tag names the plain and the compressed form, which a strong one must not (RFC 9110, 8.8.1). */
function weakenTag(outgoing: ServerResponse): void {
  const tag = outgoing.getHeader("etag");
  if (typeof tag === "string" && tag.startsWith('"')) outgoing.setHeader("etag", `W/${tag}`);
}
