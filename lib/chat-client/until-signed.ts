import type { WalletLogin } from "./login.ts";
import { ChatError, reasonOf } from "./request.ts";

type Answer = { state: "waiting" } | ({ state: "signed_in" } & WalletLogin);

const PAUSE_MS = 1000;
/** The time after a challenge's end in which the gateway still has its answer. */
const AFTER_END_MS = 60_000;

/**
 * Asks again and again until a wallet has signed. A phone cuts the connections of a page that is in the background
 * while its wallet is open, so an unreachable or busy server is asked again as well, until a minute after the challenge's
 * end. Otherwise the server decides when it has expired.
 */
export async function untilSigned(
  ask: () => Promise<Answer>,
  challenge: { message: string; expiresAt: string },
  { signal }: { signal?: AbortSignal } = {},
): Promise<WalletLogin> {
  const endsAtMs = performance.now() + lifetimeMs(challenge) + AFTER_END_MS;
  for (;;) {
    try {
      const answer = await ask();
      if (answer.state === "signed_in") {
        const { state, ...login } = answer;
        return login;
      }
    } catch (error) {
      const leftMs = endsAtMs - performance.now();
      if (!isPassing(error) || leftMs <= 0) throw error;
      await pause(Math.min((error.retryAfterSeconds ?? 1) * PAUSE_MS, leftMs), signal);
    }
  }
}

/** Both times are the server's, because this machine's clock may be wrong. */
function lifetimeMs({ message, expiresAt }: { message: string; expiresAt: string }): number {
  const { timestamp } = JSON.parse(message) as { timestamp: number };
  return Date.parse(expiresAt) - timestamp * 1000;
}

/** Returns whether the same request may succeed in a moment. */
const isPassing = (error: unknown): error is ChatError =>
  error instanceof ChatError && (error.status === 0 || error.status === 429 || error.status >= 500);

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(reasonOf(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
