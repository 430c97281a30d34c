/**
 * Creates one instance per process. `server.ts` and Next's compiled routes each load their own copy of every module, so
 * shared state (pools, caches, counters) lives on `globalThis`.
 */
export function processWide<T>(key: string, make: () => T): T {
  const symbol = Symbol.for(`hivegate.${key}`);
  const shared = globalThis as { [symbol: symbol]: T | undefined };
  const present = shared[symbol];
  if (present !== undefined) return present;
  const made = make();
  shared[symbol] = made;
  return made;
}
