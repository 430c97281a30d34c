import { randomInt } from "node:crypto";
import { z } from "zod";

/** Replies are short; what is longer is an event and needs no look inside. */
const MAX_REPLY_BYTES = 1024;

const Reply = z.object({ seq_reply: z.number(), status: z.string() });

/** What the gateway itself says to the backend on a client's connection. */
export type Challenge = {
  /** The frames to send once the connection is open. */
  frames: readonly string[];
  /** The status of a reply to one of these frames, null for everything that is the client's. */
  readReply(data: Buffer): { status: string } | null;
};

/**
 * Makes the authentication challenge. Its `seq` is a random large number, because clients count from where they like
 * and a backend that took the header already never replies to it. With `asksForSign`, a ping follows: a resumed
 * connection gets no `hello`, and nothing at all when it missed nothing.
 */
export function createChallenge(pat: string, asksForSign: boolean): Challenge {
  const seq = randomInt(2 ** 40, 2 ** 47);
  const pending = new Set(asksForSign ? [seq, seq + 1] : [seq]);
  const frames = [JSON.stringify({ seq, action: "authentication_challenge", data: { token: pat } })];
  if (asksForSign) frames.push(JSON.stringify({ seq: seq + 1, action: "ping" }));
  return {
    frames,
    readReply(data) {
      if (pending.size === 0 || data.byteLength > MAX_REPLY_BYTES || !data.includes('"seq_reply"'))
        return null;
      const reply = Reply.safeParse(parse(data)).data;
      return reply && pending.delete(reply.seq_reply) ? { status: reply.status } : null;
    },
  };
}

function parse(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
