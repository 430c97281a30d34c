/**
 * The only field whose contents are not renamed: programs choose the names in it, such as `channel_mentions`
 * in a post's props.
 */
const FREE = "props";

type CamelKey<K> = K extends `${infer Head}_${infer Rest}` ? `${Head}${Capitalize<CamelKey<Rest>>}` : K;

type NamedKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] };

/** A type without declared fields is a map and stays a map; other types keep only their declared fields. */
type CamelFields<T> = [NamedKeys<T>] extends [never]
  ? { [K in keyof T]: CamelCased<T[K]> }
  : {
      [K in keyof T as string extends K ? never : CamelKey<K>]: K extends typeof FREE
        ? T[K]
        : CamelCased<T[K]>;
    };

/** A wire type with its fields in camelCase, at every depth. */
export type CamelCased<T> = T extends readonly (infer Item)[]
  ? CamelCased<Item>[]
  : T extends object
    ? CamelFields<T>
    : T;

/** The form of a field's name. Keys of maps (ids, addresses, emoji) have another form or no underscore. */
const SNAKE_CASE = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;

/**
 * Translations of field names, cached because a lookup is five times as fast. Mattermost has some 300 names.
 */
const known = new Map<string, string>();
const MOST_KNOWN = 1_000;

function camelKey(key: string): string {
  if (!key.includes("_")) return key;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (!SNAKE_CASE.test(key)) return key;
  const camel = key.replace(/_(.)/g, (_all, first: string) => first.toUpperCase());
  if (known.size < MOST_KNOWN) known.set(key, camel);
  return camel;
}

/** Returns a copy of JSON from the wire with its fields in camelCase. */
export function camelCased<T>(value: T): CamelCased<T> {
  return translate(value) as CamelCased<T>;
}

function translate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translate);
  if (typeof value !== "object" || value === null) return value;
  const translated: Record<string, unknown> = {};
  // For the name `__proto__`, a plain assignment would set the prototype.
  for (const [key, inner] of Object.entries(value))
    if (key !== "__proto__") translated[camelKey(key)] = key === FREE ? inner : translate(inner);
  return translated;
}
