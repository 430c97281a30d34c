/** Texts that a browser with denied or full storage can't store; they last as long as this page. */
const unkept = new Map<string, string>();

/** Returns the text that this browser stores under a key, or null. */
export function readText(key: string): string | null {
  const text = unkept.get(key);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text under a key, in this browser if possible and otherwise in this page; null removes it. */
export function keepText(key: string, text: string | null): void {
  unkept.delete(key);
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text !== null) unkept.set(key, text);
  }
}

/** Returns the keys of stored texts, oldest first if the browser preserves the order. */
export function keptKeys(): string[] {
  try {
    return [...Object.keys(localStorage), ...unkept.keys()];
  } catch {
    return [...unkept.keys()];
  }
}

/** Returns whether this browser can store anything for this site. */
export function canKeep(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}
