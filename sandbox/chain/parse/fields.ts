import { badCast, badHex, badType } from "../errors.ts";

export type Fields = Record<string, unknown>;

/** A JSON object, or the refusal that the nodes give for anything else. */
export function readObject(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badType("Invalid cast from type to Object");
  return value as Fields;
}

/** A JSON list; a missing one is empty. */
export function readList(value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw badType("Invalid cast from type to Array");
  return value;
}

/** A text; numbers and booleans count as texts, a missing one is empty. */
export function readText(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "";
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      throw badType("Invalid cast from type to string");
  }
}

/** A whole number of `bits` bits; higher bits fall off as they do on the chain. */
export function readUnsigned(value: unknown, bits: 16 | 32): number {
  if (value === undefined) return 0;
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    throw badType("Invalid cast from type to uint64");
  return Number(BigInt.asUintN(bits, BigInt(Math.trunc(number))));
}

/** A time in the chain's form (UTC without a letter for it, fractions cut off), in seconds since 1970. */
export function readTime(value: unknown): number {
  const text = readText(value);
  const [, seconds] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  // Date.parse turns 30 February into March.
  if (Number.isNaN(time) || formatTime(time / 1000) !== seconds)
    throw badCast("bad lexical cast: source type value could not be interpreted as target");
  return time / 1000;
}

/** Seconds since 1970 in the chain's form. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** Hex digits of either case as exactly `length` bytes: missing ones are zero, further ones fall away. */
export function readHex(value: unknown, length: number): Uint8Array {
  const text = readText(value);
  const [wrong] = /[^0-9a-fA-F]/.exec(text) ?? [];
  if (wrong !== undefined) throw badHex(wrong);
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from(text, "hex").subarray(0, length));
  return bytes;
}
