import fc, { type Arbitrary } from "fast-check";
import type { ServerName } from "./attack.ts";
import { paymentPayload } from "./good-payment.ts";
import { hostileJson, oneOddPlace } from "./hostile-bodies.ts";
import { hostileText } from "./hostile-texts.ts";

/**
 * A header line. `isBase64`: its value is sent in base64. `lies`: the header is wrong about the message's
 * end, so its sender can't expect an answer.
 */
export type Header = { name: string; value: string; lies?: true; isBase64?: true };

/**
 * The permitted characters of a header. Any other character ends a request with 400 before the header is
 * read.
 */
const sendable = hostileText.map((text) => text.replace(/[^ -~\x80-\xff]/g, ""));

const plain = (name: string, values: Arbitrary<string>): Arbitrary<Header> =>
  values.map((value) => ({ name, value }));
const lie = (name: string, ...values: string[]): Arbitrary<Header> =>
  fc.constantFrom(...values).map((value) => ({ name, value, lies: true as const }));

const tokens = fc.oneof(
  { weight: 6, arbitrary: fc.constant("Bearer {pat}") },
  { weight: 1, arbitrary: sendable.map((text) => `Bearer ${text}`) },
  { weight: 1, arbitrary: fc.constantFrom("Basic eDp5", "Bearer", "bearer {pat} {pat}", "Digest x=y") },
);

const upgrades: Arbitrary<Header> = fc.oneof(
  lie("Connection", "Upgrade", "upgrade, close", "keep-alive, Upgrade"),
  lie("Upgrade", "websocket", "h2c", "WebSocket", "websocket, h2c"),
  lie("HTTP2-Settings", "AAMAAABk", "%"),
  plain("Sec-WebSocket-Key", fc.constantFrom("dGhlIHNhbXBsZSBub25jZQ==", "x", "")),
  plain("Sec-WebSocket-Version", fc.constantFrom("13", "8", "-1")),
  plain("Sec-WebSocket-Extensions", fc.constantFrom("permessage-deflate", "permessage-deflate; a=%", ",")),
  plain("Sec-WebSocket-Protocol", sendable),
);

/** Headers that frameworks and proxies exchange, here sent by an outsider. */
const inside = fc.oneof(
  plain("Next-Action", fc.constantFrom("x", "0".repeat(42))),
  plain("RSC", fc.constantFrom("1", "x")),
  plain("Next-Router-State-Tree", hostileJson.map(encodeURIComponent)),
  plain(
    "Next-Router-State-Tree",
    fc.constantFrom(
      "%",
      "[]",
      encodeURIComponent('["",{"children":["(demo)",{"children":["__PAGE__",{}]}]}]'),
    ),
  ),
  plain("Next-Router-Prefetch", fc.constantFrom("1", "2", "3", "x")),
  plain("Next-Router-Segment-Prefetch", fc.constantFrom("/_tree", "/_full", "/%", "x")),
  plain("Next-Url", sendable),
  plain("X-Middleware-Subrequest", fc.constantFrom("middleware", "middleware:middleware:middleware")),
  plain("X-Nextjs-Data", fc.constant("1")),
  plain("X-Matched-Path", sendable),
  plain("X-Invoke-Status", fc.constantFrom("500", "x")),
  plain("X-Forwarded-For", sendable),
  plain("X-Forwarded-Host", sendable),
  plain("X-Forwarded-Proto", sendable),
  plain("X-HTTP-Method-Override", fc.constantFrom("DELETE", "TRACE")),
);

const ordinary = fc.oneof(
  plain(
    "Cookie",
    sendable.map((text) => `chat_pat={pat}; session=${text}; x`),
  ),
  plain(
    "Cookie",
    sendable.map((text) => `chat_pat=${text}`),
  ),
  plain("Origin", fc.constantFrom("null", "http://[", "https://evil.example", "http://{host}")),
  plain("Sec-Fetch-Site", fc.constantFrom("same-origin", "cross-site", "x")),
  plain(
    "Content-Type",
    fc.constantFrom("application/json", "text/plain", "multipart/form-data", ";", "x/y;="),
  ),
  plain("Content-Encoding", fc.constantFrom("gzip", "br", "identity", "x, y")),
  plain("Accept", fc.constantFrom("text/html", "*/*;q=x", "application/json", "")),
  plain("Accept-Encoding", fc.constantFrom("gzip", "br;q=x", "*;q=0", "identity;q=0")),
  plain("Accept-Language", sendable),
  plain("Range", fc.constantFrom("bytes=0-0", "bytes=9999999999-", "bytes=5-2", "bytes=0-0,-1,2-", "x")),
  plain("If-Range", fc.constantFrom('"x"', "Mon, 01 Jan 1990 00:00:00 GMT")),
  plain("If-None-Match", fc.constantFrom("*", '"x"', 'W/"', ",,,")),
  plain("If-Match", fc.constantFrom("*", '"x"')),
  plain("If-Modified-Since", fc.constantFrom("x", "Mon, 01 Jan 1990 00:00:00 GMT")),
  plain("If-Unmodified-Since", fc.constantFrom("x", "Mon, 01 Jan 1990 00:00:00 GMT")),
  plain("Idempotency-Key", sendable),
  plain("X-Request-Id", sendable),
  plain("User-Agent", sendable),
  plain("X-Many", fc.constant("y".repeat(9000))),
);

/** Headers that no server may accept. */
const broken: Arbitrary<Header> = fc.oneof(
  plain("X-Many", fc.constant("y".repeat(20_000))),
  hostileText.map((value) => ({ name: "X-Text", value })),
  plain("Host", fc.constantFrom("", "a b", "x/y", "[::1]", "x:99999", "evil.example")),
  // A line break within a value, which a smuggler hopes to see echoed.
  plain("X-Smuggled", fc.constantFrom("a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1")),
  hostileText.map((text) => ({ name: text.slice(0, 20), value: "odd name" })),
);

const framing = fc.oneof(
  lie("Content-Length", "-1", "0", "1", "1e3", "99999999999999999999", "5, 5", "+5", ""),
  lie("Transfer-Encoding", "chunked", "gzip, chunked", "identity", "xchunked", "chunked, chunked"),
  lie("Connection", "close", "keep-alive", "Host", "Transfer-Encoding", "x".repeat(500)),
  lie("Expect", "100-continue", "200-maybe", ""),
  lie("Trailer", "X-Injected"),
  lie("TE", "trailers"),
);

const encoded = (values: Arbitrary<string>): Arbitrary<Header> =>
  values.map((value) => ({ name: "X-Payment", value, isBase64: true as const }));

const payment = fc.oneof(
  encoded(fc.constant(paymentPayload)),
  encoded(oneOddPlace(paymentPayload)),
  encoded(hostileJson),
  plain("X-Payment", sendable),
  plain("Payment-Signature", sendable),
);

/** A header that a server may receive, mostly of the kinds that it reads. */
export function headerOf(server: ServerName): Arbitrary<Header> {
  const of = (weight: number, arbitrary: Arbitrary<Header>) => ({ weight, arbitrary });
  return fc.oneof(
    of(server === "app" ? 12 : 1, plain("Authorization", tokens)),
    of(server === "app" ? 3 : 1, inside),
    of(8, plain("Content-Type", fc.constant("application/json"))),
    of(6, ordinary),
    of(1, framing),
    of(1, broken),
    of(server === "app" ? 2 : 1, upgrades),
    of(server === "facilitator" ? 1 : 3, payment),
  );
}
