/** Reads a text that pages of this origin have stored; `null` if there is none, or if the browser stores nothing. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a value as JSON, if the browser stores anything for this page. */
export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A private window, or no room.
  }
}
