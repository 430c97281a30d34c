import { setTimeout as sleep } from "node:timers/promises";
import { processWide } from "../../async/process-wide.ts";

export type CloseSocket = (code: number, reason: string) => void;

type Registry = {
  byUser: Map<string, Set<CloseSocket>>;
  /** When a user logged out, on the clock of `performance.now()`. */
  loggedOutAtMs: Map<string, number>;
};

export const MAX_SOCKETS_OF_A_USER = 20;
const POLICY_VIOLATION = 1008;
const SERVICE_RESTART = 1012;
/** Longer than any handshake takes. */
const LOGOUT_MEMORY_MS = 30_000;
const SHUTDOWN_BATCHES = 20;
const SHUTDOWN_SPREAD_MS = 1000;

const registry = () =>
  processWide<Registry>("open-sockets", () => ({ byUser: new Map(), loggedOutAtMs: new Map() }));

/**
 * Notes an open socket; returns the function that forgets it. `full` when the user has 20 already, `logged-out` when
 * he logged out after `startedAtMs` (`performance.now()`), when its handshake began.
 */
export function registerSocket(
  userId: string,
  startedAtMs: number,
  close: CloseSocket,
): (() => void) | "full" | "logged-out" {
  const { byUser, loggedOutAtMs } = registry();
  if ((loggedOutAtMs.get(userId) ?? Number.NEGATIVE_INFINITY) >= startedAtMs) return "logged-out";
  const sockets = byUser.get(userId) ?? new Set();
  if (sockets.size >= MAX_SOCKETS_OF_A_USER) return "full";
  byUser.set(userId, sockets.add(close));
  return () => {
    sockets.delete(close);
    if (sockets.size === 0 && byUser.get(userId) === sockets) byUser.delete(userId);
  };
}

/** Closes the websockets of a user who logged out, those still in their handshake included. Call it after the PAT was revoked. */
export function closeSocketsOf(userId: string): void {
  const { byUser, loggedOutAtMs } = registry();
  const now = performance.now();
  for (const [id, atMs] of loggedOutAtMs) if (now - atMs > LOGOUT_MEMORY_MS) loggedOutAtMs.delete(id);
  loggedOutAtMs.set(userId, now);
  for (const close of [...(byUser.get(userId) ?? [])]) close(POLICY_VIOLATION, "logged out");
}

/** Closes every websocket for a shutdown, spread over a second so that clients don't return all at once. */
export async function closeAllSockets(): Promise<void> {
  const all = [...registry().byUser.values()].flatMap((sockets) => [...sockets]);
  const size = Math.ceil(all.length / SHUTDOWN_BATCHES);
  for (let start = 0; start < all.length; start += size) {
    if (start > 0) await sleep(SHUTDOWN_SPREAD_MS / SHUTDOWN_BATCHES);
    for (const close of all.slice(start, start + size)) close(SERVICE_RESTART, "restarting");
  }
}
