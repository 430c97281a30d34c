/**
 * Creates access to texts in one of the browser's storages. A text that it can't store lasts as long as the
 * page.
 */
function createTexts(storage: () => Storage) {
  const unkept = new Map<string, string>();
  return {
    /** Returns the text that is stored under a key, or null. */
    read(key: string): string | null {
      const text = unkept.get(key);
      if (text !== undefined) return text;
      try {
        return storage().getItem(key);
      } catch {
        return null;
      }
    },
    /** Stores a text under a key, and returns whether it outlives this page; null removes it. */
    keep(key: string, text: string | null): boolean {
      unkept.delete(key);
      try {
        if (text === null) storage().removeItem(key);
        else storage().setItem(key, text);
        return true;
      } catch {
        if (text !== null) unkept.set(key, text);
        return false;
      }
    },
    /** Returns whether the text under a key outlives this page. */
    isKept: (key: string): boolean => !unkept.has(key),
    /** Returns the keys of stored texts, oldest first if the browser preserves the order. */
    keys(): string[] {
      try {
        const kept = storage();
        const keys = Array.from({ length: kept.length }, (_, index) => kept.key(index) ?? "");
        return [...new Set([...keys, ...unkept.keys()])];
      } catch {
        return [...unkept.keys()];
      }
    },
  };
}

/** The texts stored in this browser, which all its tabs share. */
export const {
  read: readText,
  keep: keepText,
  isKept: isTextKept,
  keys: keptKeys,
} = createTexts(() => localStorage);

/** The texts of this tab. */
export const { read: readTabText, keep: keepTabText } = createTexts(() => sessionStorage);

/**
 * Returns the value that this browser stores as JSON under a key, or null if there is none or it is
 * unreadable.
 */
export function readKept(key: string): unknown {
  try {
    return JSON.parse(readText(key) ?? "null");
  } catch {
    return null;
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
