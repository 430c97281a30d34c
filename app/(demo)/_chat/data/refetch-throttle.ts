const EVERY_MS = 1000;

/**
 * Asks for a new reading: the first time at once, and then once a second and never before the last one is done, however
 * often it is asked for.
 */
export type RefetchThrottle = { ask(): void; stop(): void };

/** Many events at a time tell of one change each, while a reading tells of all. */
export function createRefetchThrottle(read: () => Promise<void>): RefetchThrottle {
  let isBusy = false;
  let isAskedAgain = false;
  let isStopped = false;

  const begin = async () => {
    isBusy = true;
    isAskedAgain = false;
    await Promise.allSettled([read(), new Promise((resolve) => setTimeout(resolve, EVERY_MS))]);
    isBusy = false;
    if (isAskedAgain && !isStopped) void begin();
  };

  return {
    ask() {
      if (isBusy) isAskedAgain = true;
      else if (!isStopped) void begin();
    },
    stop() {
      isStopped = true;
    },
  };
}
