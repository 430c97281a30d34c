import { CodedError } from "../errors.ts";

/**
 * The caller that takes a turn: a person, or the address of an anonymous caller. `group` names a resource with its own
 * limit.
 */
export type Asker = { person: string; group?: string };

export type Turns = {
  /**
   * Waits for a place and takes it. The returned function releases it, and is safe to call twice.
   * @throws CodedError `overloaded` if the line is full, or the reason of `signal` if that ends the wait
   */
  take(asker: Asker, signal?: AbortSignal): Promise<() => void>;
  /** Runs the work in a place. @throws the errors of `take` and of the work */
  run<T>(asker: Asker, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** The longest wait so far, in ms, among people without a place; 0 if there are none. */
  longestWaitMs(): number;
};

type Waiting = { asker: Asker; sinceMs: number; begin: () => void; refuse: (reason: unknown) => void };

/**
 * Shares a scarce number of places fairly:
 *
 * - A person who holds places gets another only while more places are free than they hold, so that a
 *   newcomer finds one.
 * - Waiting callers take turns by person, not by arrival.
 * - In a full line, the person with the most callers waiting loses the last of them to a person with fewer.
 *
 * `mostOfPerson` and `mostOfGroup` limit the places of one person, and of one group across all persons. `now`
 * is a monotonic clock in ms.
 */
export function createTurns({
  places,
  mostWaiting,
  mostOfPerson = places,
  mostOfGroup = places,
  now = () => performance.now(),
}: {
  places: number;
  mostWaiting: number;
  mostOfPerson?: number;
  mostOfGroup?: number;
  now?: () => number;
}): Turns {
  let free = places;
  let waiting = 0;
  const ofPersons = new Map<string, number>();
  const ofGroups = new Map<string, number>();
  /** Waiting callers by person, in the order of their turns. */
  const lines = new Map<string, Waiting[]>();

  const mayBegin = ({ person, group }: Asker) =>
    (ofPersons.get(person) ?? 0) < Math.min(free, mostOfPerson) &&
    (group === undefined || (ofGroups.get(group) ?? 0) < mostOfGroup);

  const occupy = ({ person, group }: Asker) => {
    free -= 1;
    add(ofPersons, person, 1);
    if (group !== undefined) add(ofGroups, group, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      free += 1;
      add(ofPersons, person, -1);
      if (group !== undefined) add(ofGroups, group, -1);
      while (beginNext());
    };
  };

  const leave = (one: Waiting) => {
    const line = lines.get(one.asker.person) ?? [];
    line.splice(line.indexOf(one), 1);
    waiting -= 1;
    if (line.length === 0) lines.delete(one.asker.person);
  };

  /** Gives a place to the next waiting caller that may begin. Returns whether there was one. */
  const beginNext = () => {
    for (const [person, line] of lines) {
      const next = line.find(({ asker }) => mayBegin(asker));
      if (!next) continue;
      leave(next);
      // The rest of the person's line moves behind the others.
      if (lines.delete(person)) lines.set(person, line);
      next.begin();
      return true;
    }
    return false;
  };

  /** @throws CodedError `overloaded` if no other line is long enough to give way */
  const makeRoom = (person: string) => {
    if (waiting < mostWaiting) return;
    const own = lines.get(person)?.length ?? 0;
    const [longest = []] = [...lines.values()].sort((one, other) => other.length - one.length);
    const last = longest.at(-1);
    if (!last || longest.length <= own + 1) throw new CodedError("overloaded");
    last.refuse(new CodedError("overloaded"));
  };

  const take: Turns["take"] = async (asker, signal) => {
    signal?.throwIfAborted();
    if (mayBegin(asker)) return occupy(asker);
    makeRoom(asker.person);
    return new Promise((resolve, reject) => {
      const end = () => one.refuse(signal?.reason);
      const one: Waiting = {
        asker,
        sinceMs: now(),
        begin() {
          signal?.removeEventListener("abort", end);
          resolve(occupy(asker));
        },
        refuse(reason) {
          signal?.removeEventListener("abort", end);
          leave(one);
          reject(reason);
        },
      };
      signal?.addEventListener("abort", end, { once: true });
      lines.set(asker.person, [...(lines.get(asker.person) ?? []), one]);
      waiting += 1;
    });
  };

  return {
    take,
    async run(asker, work, signal) {
      const giveBack = await take(asker, signal);
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
    longestWaitMs() {
      const newcomers = [...lines].filter(([person]) => !ofPersons.has(person));
      const sinceMs = Math.min(now(), ...newcomers.flatMap(([, [first]]) => (first ? [first.sinceMs] : [])));
      return now() - sinceMs;
    },
  };
}

function add(counts: Map<string, number>, key: string, difference: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + difference;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

type Flight<T> = {
  result: Promise<T>;
  /** Runs the work for all waiting callers, in the place that one of them got. */
  begin(work: () => Promise<T>, giveBack: () => void): void;
  hasBegun: boolean;
  /** Ends the other waits once one caller has a place. */
  waits: Set<AbortController>;
};

/**
 * Lets callers that ask for the same thing at the same time share one run of the work. Each waits for its own turn, and
 * the first turn starts the work, so no caller waits in another person's line.
 */
export function createSharedTurns<T>(
  turns: Turns,
): (key: string, asker: Asker, work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const flights = new Map<string, Flight<T>>();
  return async (key, asker, work, signal) => {
    const flight = flights.get(key) ?? createFlight<T>(() => flights.delete(key));
    flights.set(key, flight);
    if (flight.hasBegun) return flight.result;
    const wait = new AbortController();
    const leave = () => wait.abort(signal?.reason);
    flight.waits.add(wait);
    signal?.addEventListener("abort", leave, { once: true });
    try {
      const giveBack = await turns.take(asker, wait.signal);
      if (flight.hasBegun) giveBack();
      else flight.begin(work, giveBack);
    } catch (error) {
      if (!flight.hasBegun) throw error;
    } finally {
      signal?.removeEventListener("abort", leave);
      flight.waits.delete(wait);
      if (!flight.hasBegun && flight.waits.size === 0) flights.delete(key);
    }
    return flight.result;
  };
}

function createFlight<T>(onEnd: () => void): Flight<T> {
  const { promise: result, resolve } = withResolver<T>();
  const flight: Flight<T> = {
    result,
    hasBegun: false,
    waits: new Set(),
    begin(work, giveBack) {
      flight.hasBegun = true;
      for (const wait of flight.waits) wait.abort();
      resolve(
        work().finally(() => {
          onEnd();
          giveBack();
        }),
      );
    },
  };
  return flight;
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolver<T>() {
  let resolve: (value: T | PromiseLike<T>) => void = () => undefined;
  const promise = new Promise<T>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
