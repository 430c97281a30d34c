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
