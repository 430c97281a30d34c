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

/** Stores a value as JSON, if the browser allows it. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Ignored: the window is private, or the storage is full.
  }
}
