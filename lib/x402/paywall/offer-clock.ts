/**
 * The time (ms since 1970) in offers, which payers compare with the chain's clock, and other processes with
 * their own. If the machine's clock was set, it is unknown which time is right.
 */
export type OfferClock = {
  /**
   * Returns the later of the machine's clock and the clock as it would be if it had not been set since the process
   * began.
   */
  latest(): number;
  /** Returns the earlier of these two clocks. */
  earliest(): number;
};

const unset = () => performance.timeOrigin + performance.now();

export const machineClock: OfferClock = {
  latest: () => Math.max(Date.now(), unset()),
  earliest: () => Math.min(Date.now(), unset()),
};
