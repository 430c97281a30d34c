export type TipCount = { count: number; total: string };

const MAX_BATCH = 100;
const MAX_KEPT = 5000;

type Load = (ids: readonly string[]) => Promise<Record<string, TipCount>>;

/**
 * Knows how often messages were tipped. Those asked about within `delayMs` go into one request, each id once; what fails
 * is asked again when it is wanted again.
 */
export function createTipCounts(load: Load, delayMs = 80) {
  const known = new Map<string, TipCount | null>();
  const waiting = new Set<string>();
  const listeners = new Set<() => void>();
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(flush, delayMs);
  };
  const tell = () => {
    for (const listener of listeners) listener();
  };

  const flush = async () => {
    isScheduled = false;
    const ids = [...waiting].slice(0, MAX_BATCH);
    for (const id of ids) waiting.delete(id);
    if (waiting.size > 0) schedule();
    try {
      const counts = await load(ids);
      for (const id of ids) known.set(id, counts[id] ?? null);
      tell();
    } catch {
      for (const id of ids) known.delete(id);
    }
  };

  return {
    want(id: string) {
      if (known.has(id)) return;
      if (known.size >= MAX_KEPT) known.clear();
      known.set(id, null);
      waiting.add(id);
      schedule();
    },
    get: (id: string) => known.get(id) ?? null,
    set(id: string, count: TipCount) {
      known.set(id, count);
      tell();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
