/**
 * One instance a process: `server.ts` and Next's compiled routes each hold a copy of every module,
 * so what they share (pools, caches, counters) hangs on `globalThis`.
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
