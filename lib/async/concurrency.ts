/**
 * Runs the work for every item, up to `limit` at a time. The first failure rejects, and no further item
 * begins.
 */
export async function forEachWithConcurrency<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let hasFailed = false;
  const worker = async () => {
    for (const item of waiting) {
      if (hasFailed) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/**
 * Like `Promise.all`, but waits for all of them, and rejects with the first failure in the list, not in time.
 */
export async function allInOrder<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(works);
  return settled.map((work) => {
    if (work.status === "rejected") throw work.reason;
    return work.value;
  }) as unknown as T;
}

/** Lets callers that ask for the same thing at the same time share one run of the work. */
export function createSingleFlight<T>(): (key: string, work: () => Promise<T>) => Promise<T> {
  const flights = new Map<string, Promise<T>>();
  return (key, work) => {
    const present = flights.get(key);
    if (present !== undefined) return present;
    const flight = work().finally(() => flights.delete(key));
    flights.set(key, flight);
    return flight;
  };
}
