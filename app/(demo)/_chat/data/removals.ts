import type { Post } from "./model.ts";

/** Milliseconds in which a deletion can be taken back. */
const UNDO_WITHIN_MS = 5_000;

/** Deletions that were confirmed and can still be taken back: `remove` is called when that time is over. */
export function createRemovals(remove: (post: Post) => Promise<void>, undoWithinMs = UNDO_WITHIN_MS) {
  const waiting = new Map<string, { post: Post; timer: ReturnType<typeof setTimeout> }>();
  let ids: ReadonlySet<string> = new Set();
  const listeners = new Set<() => void>();
  const publish = (change: (next: Set<string>) => void) => {
    const next = new Set(ids);
    change(next);
    ids = next;
    for (const listener of listeners) listener();
  };
  const finish = async (id: string) => {
    const removal = waiting.get(id);
    if (!removal) return;
    waiting.delete(id);
    clearTimeout(removal.timer);
    await remove(removal.post);
    publish((next) => next.delete(id));
  };

  return {
    start(post: Post) {
      if (ids.has(post.id)) return;
      waiting.set(post.id, { post, timer: setTimeout(() => void finish(post.id), undoWithinMs) });
      publish((next) => next.add(post.id));
    },
    undo(id: string) {
      const removal = waiting.get(id);
      if (!removal) return;
      waiting.delete(id);
      clearTimeout(removal.timer);
      publish((next) => next.delete(id));
    },
    /** Does now what is waiting: the page is being left. */
    async flush() {
      await Promise.all([...waiting.keys()].map(finish));
    },
    /** The posts whose deletion is waiting or under way. */
    snapshot: () => ids,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export type Removals = ReturnType<typeof createRemovals>;
