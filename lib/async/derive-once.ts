/** Returns a function that derives a result from each object only once. Neither of the two may change later. */
export function deriveOnce<K extends object, V>(derive: (key: K) => V): (key: K) => V {
  const derived = new WeakMap<K, { result: V }>();
  return (key) => {
    const known = derived.get(key);
    if (known) return known.result;
    const result = derive(key);
    derived.set(key, { result });
    return result;
  };
}
