import type { Database } from "./database.ts";
import type { Flavour, NewEvent } from "./events.ts";
import type { Clock } from "./id.ts";

export type Settings = {
  flavour: Flavour;
  /** Active users that the server takes; more get the error of an unlicensed server. */
  maxUsers: number;
  enableUserAccessTokens: boolean;
  /** Whether strangers may make accounts without an invitation. */
  enableOpenServer: boolean;
  /** Members that a team takes. */
  maxUsersPerTeam: number;
  siteUrl: string;
};

/** What every route and act works on. */
export type Backend = {
  db: Database;
  clock: Clock;
  settings: Settings;
  isV11: boolean;
  serverVersion: string;
  /** Inside a transaction the event waits for the commit, so nobody hears of what is not stored. */
  publish(event: NewEvent): void;
  /** All of `work` with its events, or nothing of it. */
  transact<T>(work: () => T): T;
};

/** Joins a database and a listener of events to a backend. */
export function createBackend(options: {
  db: Database;
  clock: Clock;
  settings: Settings;
  deliver: (event: NewEvent) => void;
}): Backend {
  const { db, clock, settings, deliver } = options;
  let waiting: NewEvent[] = [];
  const isV11 = settings.flavour === "v11";
  const version = isV11 ? "11.2.0" : "7.0.0";
  return {
    db,
    clock,
    settings,
    isV11,
    serverVersion: `${version}.${version}.206c14e189fd5acab48649d24beb43ca.false`,
    publish(event) {
      if (db.isInTransaction()) waiting.push(event);
      else deliver(event);
    },
    transact(work) {
      if (db.isInTransaction()) return work();
      try {
        const result = db.transact(work);
        const events = waiting;
        waiting = [];
        for (const event of events) deliver(event);
        return result;
      } catch (error) {
        waiting = [];
        throw error;
      }
    },
  };
}
