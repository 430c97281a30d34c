export type Clock = {
  now(): number;
  /** Like `now`, but later than every earlier `tick`: posts never share a time, so their order is total. */
  tick(): number;
};

/** A clock whose ticks also stay later than `after`, the newest time that is stored. */
export function createClock(now: () => number, after: number): Clock {
  let last = after;
  return {
    now,
    tick() {
      last = Math.max(now(), last + 1);
      return last;
    },
  };
}
