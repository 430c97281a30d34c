import fc, { type Arbitrary } from "fast-check";
import { bodyOf } from "./hostile-bodies.ts";
import { type Header, headerOf } from "./hostile-headers.ts";
import { targetOf } from "./hostile-targets.ts";

export type ServerName = "app" | "facilitator" | "shop";

export type Message = {
  method: string;
  target: string;
  headers: readonly Header[];
  /** Latin-1 text, one byte per character. */
  body: string;
  framing: "none" | "length" | "chunked" | "too-long" | "too-short" | "bad-chunk" | "both";
};

/** The data of one connection, and the sender's behaviour. */
export type Attack = {
  server: ServerName;
  messages: readonly Message[];
  /** The number of pieces in which the data is written. */
  pieces: number;
  /** The part of the bytes, in thousandths, after which the sender stops; null sends all. */
  stopsAt: number | null;
  ending: "waits" | "half-closes" | "resets";
};

const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("GET", "POST", "HEAD") },
  { weight: 4, arbitrary: fc.constantFrom("PUT", "PATCH", "DELETE", "OPTIONS") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("TRACE", "CONNECT", "PROPFIND", "PURGE", "QUERY", "get", "PRI", "X"),
  },
);
const framings = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Message["framing"]>("length", "chunked") },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Message["framing"]>("too-long", "too-short", "bad-chunk", "both", "none"),
  },
);

const messageTo = (server: ServerName): Arbitrary<Message> =>
  targetOf(server).chain(({ target, method, body }) =>
    fc.record({
      method: fc.oneof({ weight: 5, arbitrary: fc.constant(method) }, { weight: 2, arbitrary: methods }),
      target: fc.constant(target),
      headers: fc.array(headerOf(server), { maxLength: 5 }),
      body: bodyOf(body),
      framing: framings,
    }),
  );

/**
 * The possible attacks over one connection. Texts contain `{names}` that the sender fills in, so that a
 * seed keeps its meaning.
 */
export const attack: Arbitrary<Attack> = fc
  .oneof(
    { weight: 6, arbitrary: fc.constant<ServerName>("app") },
    { weight: 2, arbitrary: fc.constant<ServerName>("facilitator") },
    { weight: 2, arbitrary: fc.constant<ServerName>("shop") },
  )
  .chain((server) =>
    fc.record({
      server: fc.constant(server),
      messages: fc.array(messageTo(server), { minLength: 1, maxLength: 3, size: "small" }),
      pieces: fc.oneof(
        { weight: 5, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 2, max: 6 }) },
      ),
      stopsAt: fc.oneof(
        { weight: 9, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 999 }) },
      ),
      ending: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Attack["ending"]>("waits") },
        { weight: 2, arbitrary: fc.constantFrom<Attack["ending"]>("half-closes", "resets") },
      ),
    }),
  );
