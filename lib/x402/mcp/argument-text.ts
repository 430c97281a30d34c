import { bytesToHex } from "@noble/hashes/utils.js";

/**
 * Returns a text that is the same for equal arguments, whatever the order of their keys, and another one for all
 * others. It is canonical JSON for values of JSON, and goes on beyond JSON for what a schema creates: maps and sets in
 * their order, dates, bytes, integers of any size, `undefined`, and objects with a `toJSON`.
 * @throws TypeError that names the argument, if other values could have the same text
 */
export function argumentText(given: unknown): string {
  return textOf(given, { path: "the arguments", above: new Set() });
}

/** The place of a value, and the objects that contain it. */
type Place = { path: string; above: Set<object> };

function textOf(value: unknown, place: Place): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "object" && value !== null) return objectText(value, place);
  if (typeof value === "function" || typeof value === "symbol") throw indistinct(place, `a ${typeof value}`);
  return String(value);
}

function objectText(value: object, { path, above }: Place): string {
  if (above.has(value)) throw indistinct({ path, above }, "part of itself");
  const isOuter = above.size === 0;
  const inner = (part: unknown, name: string) =>
    textOf(part, { path: isOuter ? `the argument ${name}` : `${path}.${name}`, above });
  above.add(value);
  const text = partsText(value, { path, above }, inner);
  above.delete(value);
  return text;
}

function partsText(value: object, place: Place, inner: (part: unknown, name: string) => string): string {
  const all = (parts: Iterable<unknown>) =>
    `[${Array.from(parts, (part, index) => inner(part, String(index))).join()}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) && prototype === Array.prototype && isDense(value)) return all(value);
  if (isPlain(value)) {
    const entries = sortedKeys(value).map(
      (key) => `${JSON.stringify(key)}:${inner(Reflect.get(value, key), key)}`,
    );
    return `{${entries.join()}}`;
  }
  if (value instanceof Map && prototype === Map.prototype) return `new Map(${all([...value].flat())})`;
  if (value instanceof Set && prototype === Set.prototype) return `new Set(${all(value)})`;
  if (value instanceof Date && prototype === Date.prototype) return `new Date(${value.getTime()})`;
  const name = nameOf(value);
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return `bytes(${JSON.stringify(name)},${bytesToHex(bytes)})`;
  }
  if ("toJSON" in value && typeof value.toJSON === "function")
    return `toJSON(${JSON.stringify(name)},${inner(value.toJSON(), "toJSON()")})`;
  throw indistinct(place, Array.isArray(value) ? "an array with holes or names" : `an instance of ${name}`);
}

/** Returns whether all of an object is in its keys. Objects of another realm have another prototype. */
function isPlain(value: object): boolean {
  const prototype: object | null = Object.getPrototypeOf(value);
  const isOfNoClass =
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "isPrototypeOf"));
  return isOfNoClass && !Array.isArray(value) && Object.getOwnPropertySymbols(value).length === 0;
}

/** Returns whether an array has a value at each index, and nothing else. */
const isDense = (value: readonly unknown[]) => {
  const keys = Object.keys(value);
  return keys.length === value.length && keys.every((key, index) => key === String(index));
};

/** Returns the keys in the order of `canonicalJson`, in which whole numbers come first. */
const sortedKeys = (value: object) =>
  Object.keys(
    Object.fromEntries(
      Object.keys(value)
        .sort((one, other) => (one < other ? -1 : 1))
        .map((key) => [key, true]),
    ),
  );

const nameOf = (value: object) => {
  const kind: unknown = Reflect.get(value, "constructor");
  return typeof kind === "function" ? kind.name : "";
};

const indistinct = ({ path }: Place, what: string) =>
  new TypeError(
    `${path} must tell apart what is paid for, but is ${what}: ` +
      "let the schema return JSON, or an object with toJSON, and create other objects in the handler",
  );
