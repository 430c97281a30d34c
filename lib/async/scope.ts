/** Gives what was made under the key for this owner, and makes it with the first call. */
export type Scope = <T>(key: string, make: () => T) => T;

/** What one owner, such as a gateway, keeps from request to request. */
export function createScope(): Scope {
  const kept = new Map<string, unknown>();
  return <T>(key: string, make: () => T) => {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key) as T;
  };
}
