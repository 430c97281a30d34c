import type { QueryClient, QueryKey } from "@tanstack/react-query";

/**
 * Reads anew what is kept under a key. The library takes a first reading that is under way for the new one, though it
 * began before what made that necessary: another follows it, unless it failed, which is shown with a way to try again.
 */
export async function refetch(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  const queries = cache.getQueryCache().findAll({ queryKey });
  await Promise.allSettled(
    queries.map(async (query) => {
      const { data, fetchStatus } = query.state;
      if (data === undefined && fetchStatus === "fetching") await query.promise;
      await cache.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  );
}

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
