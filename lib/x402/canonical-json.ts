/**
 * Returns JSON that is the same for equal values of JSON, and differs for unequal ones, whatever the order of their keys: that of RFC 8785 for all values
 * without fractions, numbers beyond the safe integers, and keys that are whole numbers.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
