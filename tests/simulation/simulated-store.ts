import type { Store } from "../../lib/store/store.ts";
import type { Product } from "./product.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";

type Entry = { value: string; expiresAt: number };

/** Called with each stored value, its key, and the process that stored it. */
type OnPut = (value: string, key: string, process: SimulatedProcess) => void;

/** The contents of a store that several processes share, and whether it answers. */
export type StoreServer = {
  name: string;
  entries: Map<string, Entry>;
  /** Scores of the members of sorted sets. */
  sets: Map<string, Map<string, number>>;
  downUntil: number;
  /** The time when the store last failed a caller. */
  failedAt: number;
  onPut: OnPut | undefined;
};

export const createStoreServer = (name: string, onPut?: OnPut): StoreServer => ({
  name,
  onPut,
  entries: new Map(),
  sets: new Map(),
  downUntil: 0,
  failedAt: Number.NEGATIVE_INFINITY,
});

/** Maximum delay after which a store may perform an operation that its caller has given up. */
const LATE_MS = 10_000;

const ODDS = {
  "fails before": 0.02,
  "fails after": 0.03,
  "fails before, and is done later": 0.01,
  slow: 0.03,
  "goes down before": 0.006,
  "goes down after": 0.01,
};

/** Opens one process's view of the store. `scale` multiplies the probability of its faults. */
export function openStore(
  stage: Stage,
  process: SimulatedProcess,
  server: StoreServer,
  { scale, storeFailure }: { scale: number; storeFailure: Product["storeFailure"] },
): Store {
  const { scheduler, note } = stage;
  const stream = stage.chance.stream(`${process.name}>${server.name}`);
  const odds = Object.fromEntries(
    Object.entries(ODDS).map(([kind, probability]) => [kind, probability * scale]),
  ) as typeof ODDS;

  const live = (key: string): Entry | undefined => {
    const entry = server.entries.get(key);
    if (entry && entry.expiresAt <= scheduler.now()) server.entries.delete(key);
    return server.entries.get(key);
  };
  const put = (key: string, value: string, ttlSeconds = Number.POSITIVE_INFINITY) => {
    server.entries.set(key, { value, expiresAt: scheduler.now() + ttlSeconds * 1000 });
    server.onPut?.(value, key, process);
  };

  const place = (set: string, member: string, score: number | null) => {
    const members = server.sets.get(set) ?? new Map<string, number>();
    server.sets.set(set, members);
    if (score === null) members.delete(member);
    else members.set(member, score);
  };

  /** Performs one atomic step at the server, between the request and its answer. */
  const step = <T>(label: string, work: () => T): Promise<T> =>
    process.call(`${server.name}.${label}`, (end) => {
      const fault = stream.deviate<keyof typeof ODDS>(odds);
      const [there, back] = [stream.between(0.1, 3), stream.between(0.1, 3)];
      const slowMs = fault?.kind === "slow" ? fault.size * fault.size * 6000 : 0;
      const fail = () => {
        server.failedAt = scheduler.now();
        end(() => {
          throw storeFailure(new Error("simulated"));
        });
      };
      if (fault) server.failedAt = scheduler.now();
      const goDown = () => {
        server.downUntil = scheduler.now() + 50 + (fault?.size ?? 0) ** 2 * 15_000;
      };
      if (fault) note(`${process.name} > ${server.name}.${label} [${fault.kind}]`);
      scheduler.after(there + slowMs / 2, () => {
        if (fault?.kind === "goes down before") goDown();
        if (fault?.kind === "fails before, and is done later") {
          scheduler.after(fault.size * LATE_MS, () => {
            if (server.downUntil <= scheduler.now())
              note(
                `${process.name} > ${server.name}.${label} late = ${JSON.stringify(work())?.slice(0, 100)}`,
              );
          });
          return void scheduler.after(back, fail);
        }
        if (fault?.kind === "fails before" || server.downUntil > scheduler.now())
          return void scheduler.after(back, fail);
        const result = work();
        if (fault?.kind === "goes down after") goDown();
        note(`${process.name} > ${server.name}.${label} = ${JSON.stringify(result)?.slice(0, 100)}`);
        scheduler.after(back + slowMs / 2, fault && fault.kind !== "slow" ? fail : () => end(() => result));
      });
    });

  return {
    get: (key) => step(`get ${key}`, () => live(key)?.value ?? null),
    set: (key, value, ttl) => step(`set ${key}`, () => put(key, value, ttl)),
    setIfAbsent: (key, value, ttl) =>
      step(`setIfAbsent ${key}`, () => {
        if (live(key)) return false;
        put(key, value, ttl);
        return true;
      }),
    replace: (key, expected, value, ttl) =>
      step(`replace ${key}`, () => {
        if (live(key)?.value !== expected) return false;
        put(key, value, ttl);
        return true;
      }),
    delete: (key) => step(`delete ${key}`, () => Boolean(live(key)) && server.entries.delete(key)),
    deleteIf: (key, expected) =>
      step(`deleteIf ${key}`, () => live(key)?.value === expected && server.entries.delete(key)),
    commit: (change) =>
      step(`commit ${change.set?.[0]?.[0] ?? change.expect[0]?.[0]}`, () => {
        if (change.expect.some(([key, value]) => (live(key)?.value ?? null) !== value)) return false;
        for (const [key, value, ttl] of change.set ?? []) put(key, value, ttl);
        for (const key of change.delete ?? []) server.entries.delete(key);
        for (const [set, member, score] of change.scores ?? []) place(set, member, score);
        return true;
      }),
    range: (set, upTo, limit) =>
      step(`range ${set}`, () =>
        [...(server.sets.get(set) ?? [])]
          .filter(([, score]) => score <= upTo)
          .sort(([, one], [, other]) => one - other)
          .slice(0, limit)
          .map(([member]) => member),
      ),
    list: (prefix, limit) =>
      step(`list ${prefix}`, () =>
        [...server.entries.keys()]
          .filter((key) => key.startsWith(prefix) && live(key))
          .slice(0, limit)
          .map((key) => ({ key, value: live(key)?.value ?? "" })),
      ),
    ping: () => step("ping", () => {}),
    async close() {},
  };
}
