import type { WalletLogin } from "./login.ts";
import { ChatError, reasonOf } from "./request.ts";

type Answer = { state: "waiting" } | ({ state: "signed_in" } & WalletLogin);

const PAUSE_MS = 1000;

/**
 * Asks again and again until a wallet has signed. A phone cuts the connections of a page that is in the background
 * while its wallet is open, so an unreachable or busy server is asked again as well: it decides when the challenge has
 * expired.
 */
export async function untilSigned(
  ask: () => Promise<Answer>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<WalletLogin> {
  for (;;) {
    try {
      const answer = await ask();
      if (answer.state === "signed_in") {
        const { state, ...login } = answer;
        return login;
      }
    } catch (error) {
      if (!isPassing(error)) throw error;
      await pause((error.retryAfterSeconds ?? 1) * PAUSE_MS, signal);
    }
  }
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
