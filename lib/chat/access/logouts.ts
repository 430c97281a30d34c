import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";

const KEY = "logouts";
/** The list expires this long after its last logout, by the store's clock. */
const TOLD_FOR_SECONDS = 600;
const MOST_TOLD = 500;
/**
 * Maximum number of marks that this process remembers: more than the list holds, because other processes may
 * append marks to the list in a different order than this process records them.
 */
const MOST_DONE = 2 * MOST_TOLD;

/** Announcements between the processes on a store: logouts and refused PATs. */
export type Logouts = {
  /** Announces to every other process that a user (by id) logged out, or that a PAT (by key) is no longer valid. */
  announce(subject: string): Promise<void>;
  /** Returns the subjects that other processes have announced since the last call. */
  take(): Promise<string[]>;
};

/**
 * `done` holds the marks (`<user id or key>:<random>`) that this process wrote or has already handled. Marks carry no
 * time, because the clocks of processes may differ by any amount.
 */
export function createLogouts(store: Store, done = new Set<string>()): Logouts {
  /** Drops the oldest marks beyond the limit. */
  const noteDone = (marks: readonly string[]) => {
    for (const mark of marks) done.add(mark);
    for (const mark of done) if (done.size > MOST_DONE) done.delete(mark);
  };
  return {
    async announce(subject) {
      const mark = `${subject}:${randomUUID()}`;
      noteDone([mark]);
      await changeList(store, KEY, (marks) => [...marks, mark].slice(-MOST_TOLD), TOLD_FOR_SECONDS);
    },
    async take() {
      const fresh = (await readList(store, KEY)).filter((mark) => !done.has(mark));
      noteDone(fresh);
      return fresh.map((mark) => mark.slice(0, mark.indexOf(":")));
    },
  };
}

export type CloseSocket = (code: number, reason: string) => void;

/** The owner of a websocket: the user's id, and the shared name of the sign-in that opened it. */
export type SocketOwner = { userId: string; signIn: string };

/** The open websockets of one gateway. */
export type OpenSockets = {
  /**
   * Registers an open socket and returns the function that removes it. Returns `full` if the user already has
   * 20, and `logged-out` if the socket's sign-in ended after `dialedAtMs`, the time (`performance.now()`) at
   * which Mattermost was first dialed for the socket.
   */
  register(owner: SocketOwner, dialedAtMs: number, close: CloseSocket): (() => void) | "full" | "logged-out";
  /**
   * Closes the websockets of an ended sign-in (by its shared name) or of a user (by id), including those still in their
   * handshake. Call it after revoking the PAT.
   */
  closeOf(subject: string): void;
  /** Closes every websocket for a shutdown, spread over a second so that clients do not all reconnect at once. */
  closeAll(): Promise<void>;
};

export const MAX_SOCKETS_OF_A_USER = 20;
const POLICY_VIOLATION = 1008;
const SERVICE_RESTART = 1012;
/** Longer than any handshake takes. */
const LOGOUT_MEMORY_MS = 30_000;
const SHUTDOWN_BATCHES = 20;
const SHUTDOWN_SPREAD_MS = 1000;

export function createOpenSockets(): OpenSockets {
  const byUser = new Map<string, Set<CloseSocket>>();
  const bySignIn = new Map<string, Set<CloseSocket>>();
  /** Times at which users and sign-ins were logged out, by `performance.now()`. */
  const loggedOutAtMs = new Map<string, number>();
  const add = (places: Map<string, Set<CloseSocket>>, key: string, close: CloseSocket) => {
    const sockets = places.get(key) ?? new Set();
    places.set(key, sockets.add(close));
    return () => {
      sockets.delete(close);
      if (sockets.size === 0 && places.get(key) === sockets) places.delete(key);
    };
  };
  return {
    register({ userId, signIn }, dialedAtMs, close) {
      const isOver = [userId, signIn].some(
        (subject) => (loggedOutAtMs.get(subject) ?? Number.NEGATIVE_INFINITY) >= dialedAtMs,
      );
      if (isOver) return "logged-out";
      if ((byUser.get(userId)?.size ?? 0) >= MAX_SOCKETS_OF_A_USER) return "full";
      const forgets = [add(byUser, userId, close), add(bySignIn, signIn, close)];
      return () => {
        for (const forget of forgets) forget();
      };
    },
    closeOf(subject) {
      const now = performance.now();
      for (const [id, atMs] of loggedOutAtMs) if (now - atMs > LOGOUT_MEMORY_MS) loggedOutAtMs.delete(id);
      loggedOutAtMs.set(subject, now);
      for (const close of [...(byUser.get(subject) ?? []), ...(bySignIn.get(subject) ?? [])])
        close(POLICY_VIOLATION, "logged out");
    },
    async closeAll() {
      const all = [...byUser.values()].flatMap((sockets) => [...sockets]);
      const size = Math.ceil(all.length / SHUTDOWN_BATCHES);
      for (let start = 0; start < all.length; start += size) {
        if (start > 0) await sleep(SHUTDOWN_SPREAD_MS / SHUTDOWN_BATCHES);
        for (const close of all.slice(start, start + size)) close(SERVICE_RESTART, "restarting");
      }
    },
  };
}
