/** What a browser that denies its storage, or has no room in it, can't keep: it lasts as long as this page. */
const unkept = new Map<string, string>();

/** The text that this browser keeps under a key, or null. */
export function readText(key: string): string | null {
  const text = unkept.get(key);
  if (text !== undefined) return text;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text under a key, in this browser if it can and else in this page; null forgets it. */
export function keepText(key: string, text: string | null): void {
  unkept.delete(key);
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text !== null) unkept.set(key, text);
  }
}

/** The keys under which texts are kept, oldest first as far as the browser tells. */
export function keptKeys(): string[] {
  try {
    return [...Object.keys(localStorage), ...unkept.keys()];
  } catch {
    return [...unkept.keys()];
  }
}

/** Returns whether this browser keeps anything for this site. */
export function canKeep(): boolean {
  try {
    return localStorage !== null;
  } catch {
    return false;
  }
}
