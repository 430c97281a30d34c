import type { Duplex } from "node:stream";
import { handshakeLimit } from "../../contract/limits.ts";
import { CodedError } from "../../errors.ts";
import type { HttpScope } from "../../http/http-scope.ts";
import { requireQuota, spendQuota } from "../../http/rate-limit.ts";

const MAX_HANDSHAKES = 1000;
/**
 * Low enough that it takes ten clients to reach the total limit, and high enough for an office behind one
 * address.
 */
const MAX_HANDSHAKES_OF_A_CLIENT = 100;

/** A handshake in progress. */
export type Handshake = {
  /** Counts a refusal that was the client's fault. */
  refused(error: unknown): void;
  /** Frees the handshake's place. */
  end(): void;
};

/**
 * Limits the handshakes in progress to 1,000 in total. If quotas apply, each client address has up to 100 of
 * them and up to 300 refusals a minute, so that no client blocks the others.
 */
export function createHandshakeLimits(http: Pick<HttpScope, "rateLimits" | "quotas">): {
  /** @throws CodedError `rate_limited`, `overloaded` */
  begin(clientAddress: string): Handshake;
} {
  const { rateLimits: perClient, quotas } = http;
  const underWay = new Map<string, number>();
  let total = 0;
  return {
    begin(clientAddress) {
      const own = underWay.get(clientAddress) ?? 0;
      if (perClient) requireQuota(handshakeLimit, clientAddress, quotas);
      if (perClient && own >= MAX_HANDSHAKES_OF_A_CLIENT) throw tooMany();
      if (total >= MAX_HANDSHAKES) throw new CodedError("overloaded");
      total += 1;
      underWay.set(clientAddress, own + 1);
      return {
        refused(error) {
          if (!perClient || !(error instanceof CodedError) || error.status >= 500) return;
          try {
            spendQuota(handshakeLimit, clientAddress, new Headers(), quotas);
          } catch {
            // The client's quota is exhausted, so the next handshake is refused.
          }
        },
        end() {
          total -= 1;
          const left = (underWay.get(clientAddress) ?? 1) - 1;
          if (left > 0) underWay.set(clientAddress, left);
          else underWay.delete(clientAddress);
        },
      };
    },
  };
}

const tooMany = () =>
  new CodedError("rate_limited", {
    message: "Too many websockets are being opened from this address; try again in a moment.",
    headers: {
      "ratelimit-policy": `"websocket-handshakes";q=${MAX_HANDSHAKES_OF_A_CLIENT}`,
      ratelimit: '"websocket-handshakes";r=0',
    },
    retryAfterSeconds: 1,
  });

const MAX_EARLY_BYTES = 64 * 1024;

/**
 * Watches a raw socket until its upgrade is decided, because only reading reveals that the client has left.
 * `release` ends the watch and returns the bytes that the client sent early.
 */
export function watchPendingUpgrade(
  socket: Duplex,
  head: Buffer,
): { signal: AbortSignal; release(): Buffer } {
  const gone = new AbortController();
  const early = [head];
  let size = head.byteLength;
  const onData = (chunk: Buffer) => {
    early.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_EARLY_BYTES) socket.destroy();
  };
  const onGone = () => gone.abort();
  socket.on("data", onData);
  socket.on("end", onGone);
  socket.on("close", onGone);
  return {
    signal: gone.signal,
    release() {
      socket.off("data", onData);
      socket.off("end", onGone);
      socket.off("close", onGone);
      return Buffer.concat(early);
    },
  };
}
