import { forgetOldest } from "../../async/cache.ts";

/** The payees whose transfers were found, which strangers' requests do not push out. */
export type KnownPayees = {
  /** Adds a payee whose transfer was found, as the latest one. */
  add(payTo: string): void;
  has(payTo: string): boolean;
};

/**
 * Creates the set of up to `most` payees. It drops the one whose last find is the oldest, so that dust to many accounts
 * does not push out a seller who is paid meanwhile. `seller` is known from the start, for good.
 */
export function createKnownPayees(most: number, seller?: string): KnownPayees {
  const known = new Map<string, true>();
  return {
    add(payTo) {
      known.delete(payTo);
      known.set(payTo, true);
      forgetOldest(known, most);
    },
    has: (payTo) => payTo === seller || known.has(payTo),
  };
}
