/**
 * Reads a text that pages of this origin have stored; `null` if there is none, or if the browser denies
 * storage.
 */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value as JSON, and returns whether the browser allows it; null removes it. */
export function store(key: string, value: unknown): boolean {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    // The window is private, or the storage is full.
    return false;
  }
}

/** Returns the keys of everything that pages of this origin have stored; none if the browser denies storage. */
export function storedKeys(): string[] {
  try {
    return Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? "");
  } catch {
    return [];
  }
}
