import { createTtlLruCache } from "../../async/cache.ts";
import { createHourlyLimit } from "../hourly-limit.ts";
import type { OpenTickets } from "./open-tickets.ts";
import { readSentMemos } from "./sent-memos.ts";

/** The pause between two looks for one account and place. */
const PAUSE_MS = 5000;
const MAX_ACCOUNTS = 10_000;
/** The most histories that are read in an hour, because anyone can sign in. */
const LOOKS_AN_HOUR = 1000;
/** The newest transfers of an account that are compared with open tickets. */
const MOST_MEMOS = 32;

/** Finds what an account seems to have paid for. */
export type PaidTickets = {
  /**
   * Returns the open tickets with whose memos an account sent transfers, newest first, as the last look found them while
   * it is too early to look again. @throws ClaimStoreError, CodedError `chain_unavailable`
   */
  find(account: string, place: string): Promise<string[]>;
  /** Lets the account look again without a pause, because the last look came to no end. */
  forget(account: string, place: string): void;
};

/** Creates the finder. It asks no node where no ticket is open. */
export function createPaidTickets(options: {
  openTickets: OpenTickets;
  /** The addresses of the chain's nodes. */
  nodes: () => readonly string[];
}): PaidTickets {
  const { openTickets, nodes } = options;
  const looks = createTtlLruCache<Promise<string[]>>({ maxEntries: MAX_ACCOUNTS, ttlMs: PAUSE_MS });
  const limit = createHourlyLimit(LOOKS_AN_HOUR);
  const keyOf = (account: string, place: string) => `${account} ${place}`;
  const look = async (account: string): Promise<string[]> => {
    const memos = (await readSentMemos(nodes(), account)).slice(0, MOST_MEMOS);
    const found = await Promise.all(memos.map((memo) => openTickets.find(memo)));
    return found.filter((ticket) => ticket !== null);
  };
  return {
    async find(account, place) {
      const key = keyOf(account, place);
      if (nodes().length === 0 || !(await openTickets.mayHave(place))) return [];
      const earlier = looks.get(key);
      if (earlier !== undefined) return earlier;
      if (limit.isReached()) return [];
      limit.count();
      const found = look(account);
      looks.set(key, found);
      return found;
    },
    forget: (account, place) => looks.delete(keyOf(account, place)),
  };
}
