/** Chain time, in seconds: the given clock plus what tests have added, cut to the grid of block times. */
export type Clock = { now(): number; advance(seconds: number): void };

export function createClock({ now, gridSeconds }: { now: () => number; gridSeconds: number }): Clock {
  let offset = 0;
  return {
    now: () => Math.floor((now() / 1000 + offset) / gridSeconds) * gridSeconds,
    advance: (seconds) => {
      offset += seconds;
    },
  };
}
