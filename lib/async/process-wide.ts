const symbols = new Map<string, symbol>();

/**
 * Creates one instance per process. `server.ts` and Next's compiled routes each load their own copy of every module, so
 * shared state (pools, caches, counters) lives on `globalThis`.
 */
export function processWide<T>(key: string, make: () => T): T {
  let symbol = symbols.get(key);
  if (symbol === undefined) {
    symbol = Symbol.for(`hivegate.${key}`);
    symbols.set(key, symbol);
  }
  const shared = globalThis as { [symbol: symbol]: T | undefined };
  const present = shared[symbol];
  if (present !== undefined) return present;
  const made = make();
  shared[symbol] = made;
  return made;
}
