import { CodedError } from "../errors.ts";

/** Runs the work for every item, at most `limit` at a time; the first failure stops what has not begun and rejects. */
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

/** Like `Promise.all`, except that of several failures the first in the list counts, not the first in time. */
export async function allInOrder<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(works);
  return settled.map((work) => {
    if (work.status === "rejected") throw work.reason;
    return work.value;
  }) as unknown as T;
}

type Waiting = { begin: () => void };

/**
 * Creates places, of which each key has `limit` at once. A place is given back by the function that comes with it,
 * and goes to those who wait in the order of their asking.
 * @throws CodedError `overloaded` where more than `mostWaiting` of that key wait already; where `signal` ends a wait, its reason
 */
export function createPlaces(
  limit: number,
  mostWaiting: number,
): (key?: string, signal?: AbortSignal) => Promise<() => void> {
  const taken = new Map<string, { running: number; waiting: Set<Waiting> }>();
  return async (key = "", signal) => {
    const places = taken.get(key) ?? { running: 0, waiting: new Set() };
    taken.set(key, places);
    if (places.running < limit) places.running += 1;
    else if (places.waiting.size >= mostWaiting) throw new CodedError("overloaded");
    else await waitIn(places.waiting, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = places.waiting;
      // The place goes on to the next in line.
      if (next) next.begin();
      else if (--places.running === 0) taken.delete(key);
    };
  };
}

function waitIn(waiting: Set<Waiting>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(turn);
      reject(signal?.reason);
    };
    const turn = {
      begin() {
        waiting.delete(turn);
        signal?.removeEventListener("abort", leave);
        resolve();
      },
    };
    if (signal?.aborted) return reject(signal.reason);
    waiting.add(turn);
    signal?.addEventListener("abort", leave, { once: true });
  });
}

/**
 * Lets at most `limit` works of a key run at once; the others wait for their turn.
 * @throws CodedError `overloaded` where more than `mostWaiting` of that key wait already
 */
export function limitConcurrency(
  limit: number,
  mostWaiting: number,
): <T>(work: () => Promise<T>, key?: string) => Promise<T> {
  const takePlace = createPlaces(limit, mostWaiting);
  return async (work, key) => {
    const free = await takePlace(key);
    try {
      return await work();
    } finally {
      free();
    }
  };
}

/** Lets callers who ask for the same thing at the same time share one run of the work. */
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
