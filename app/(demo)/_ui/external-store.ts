import { keepText, readText } from "./kept-text.ts";

/** A value of this page that may change, in the form that `useSyncExternalStore` takes. */
export type ExternalStore<T> = {
  snapshot(): T;
  /** Calls back after each change; ends with the call of what is returned. */
  subscribe(listener: () => void): () => void;
  /** Puts another value in its place and tells everybody. */
  publish(next: T): void;
};

/** Creates the list of those who want to hear of a change. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    /** Calls back after each change; ends with the call of what is returned. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    /** Tells everybody. */
    tell() {
      for (const listener of listeners) listener();
    },
  };
}

/** Creates a value that can be watched; a change is another value, never one inside of it. */
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

/** One of a few words that this browser keeps under a key, for all its tabs; one that keeps nothing has it while the page is open. */
export function createKeptChoice<Word extends string>(key: string, usual: Word, ...others: Word[]) {
  const { subscribe, tell } = createListeners();
  return {
    snapshot(): Word {
      const kept = readText(key);
      return others.find((word) => word === kept) ?? usual;
    },
    /** Calls back after each change, in whichever tab; ends with the call of what is returned. */
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
