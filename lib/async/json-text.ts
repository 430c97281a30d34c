const texts = new WeakMap<object, string | null>();

/** Marks a value that never changes, so that its JSON is written only once. Returns the value. */
export function writtenOnce<T extends object>(value: T): T {
  if (!texts.has(value)) texts.set(value, null);
  return value;
}

/**
 * Returns the same JSON as `JSON.stringify`, or undefined for a value that JSON cannot represent. A value or properties
 * marked by `writtenOnce` are not written again.
 */
export function jsonText(value: unknown): string | undefined {
  if (isMarked(value)) return storedText(value);
  if (!hasMarked(value)) return JSON.stringify(value);
  const written: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const text = isMarked(inner) ? storedText(inner) : JSON.stringify(inner);
    if (text !== undefined) written.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${written.join(",")}}`;
}

function hasMarked(value: unknown): value is object {
  if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) return false;
  for (const name in value) if (isMarked((value as Record<string, unknown>)[name])) return true;
  return false;
}

const isMarked = (value: unknown): value is object =>
  typeof value === "object" && value !== null && texts.has(value);

function storedText(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}
