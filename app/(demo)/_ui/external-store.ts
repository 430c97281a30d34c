import { keepText, readText } from "./kept-text.ts";

/** A changing value of this page, in the form that `useSyncExternalStore` requires. */
export type ExternalStore<T> = {
  snapshot(): T;
  /** Calls back after each change. Call the returned function to stop. */
  subscribe(listener: () => void): () => void;
  /** Replaces the value and notifies all subscribers. */
  publish(next: T): void;
};

/** Creates a list of subscribers to a change. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    /** Calls back after each change. Call the returned function to stop. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Notifies all subscribers. */
    tell() {
      for (const listener of listeners) listener();
    },
  };
}

/** Creates a value that can be watched. A change replaces the value and never modifies it. */
export function createExternalStore<T>(initial: T): ExternalStore<T> {
  const { subscribe, tell } = createListeners();
  let value = initial;
  return {
    snapshot: () => value,
    subscribe,
    publish(next) {
      value = next;
      tell();
    },
  };
}

/**
 * Creates a choice between a few words that this browser stores under a key, for all its tabs. Without
 * storage it lasts as long as the page.
 */
export function createKeptChoice<Word extends string>(key: string, usual: Word, ...others: Word[]) {
  const { subscribe, tell } = createListeners();
  return {
    snapshot(): Word {
      const kept = readText(key);
      return others.find((word) => word === kept) ?? usual;
    },
    /** Calls back after each change, in any tab. Call the returned function to stop. */
    subscribe(listener: () => void) {
      const end = subscribe(listener);
      window.addEventListener("storage", listener);
      return () => {
        end();
        window.removeEventListener("storage", listener);
      };
    },
    choose(word: Word): void {
      keepText(key, word);
      tell();
    },
  };
}
