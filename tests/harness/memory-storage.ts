/** Creates a substitute for a browser's storage, which is full once keys and texts have so many characters. */
export function memoryStorage(maxCharacters = Number.POSITIVE_INFINITY): Storage {
  const items = new Map<string, string>();
  const set = (key: string, value: string) => {
    const next = new Map(items).set(key, value);
    const size = [...next].flat().join("").length;
    if (size > maxCharacters) throw new DOMException("full", "QuotaExceededError");
    items.set(key, value);
  };
  return {
    get length() {
      return items.size;
    },
    clear: () => items.clear(),
    getItem: (key) => items.get(key) ?? null,
    key: (index) => [...items.keys()][index] ?? null,
    removeItem: (key) => void items.delete(key),
    setItem: set,
  };
}
