/**
 * Tells the time, ms since 1970, for offers that a payer compares with the chain's clock and other processes with theirs.
 * Nobody knows which one is right when somebody has set the machine's clock.
 */
export type OfferClock = {
  /** The later of what the machine's clock shows and would show, had nobody set it since the process began. */
  latest(): number;
  /** The earlier of the two. */
  earliest(): number;
};

const unset = () => performance.timeOrigin + performance.now();

export const machineClock: OfferClock = {
  latest: () => Math.max(Date.now(), unset()),
  earliest: () => Math.min(Date.now(), unset()),
};
