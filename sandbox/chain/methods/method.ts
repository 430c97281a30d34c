import type { Chain } from "../chain.ts";
import { assertion, badType } from "../errors.ts";
import { readList } from "../parse/fields.ts";
import type { BlockHeader } from "../state/store.ts";

export type Context = {
  chain: Chain;
  /** The head that this node shows. */
  head: BlockHeader;
};

export type Method = (params: unknown, context: Context) => unknown;
/** The methods of one API, by name without the API's prefix. */
export type Api = Record<string, Method>;

/** Reads the positional arguments of `condenser_api`. A missing list or `{}` counts as empty. */
export function readArguments(params: unknown, least: number, most: number): unknown[] {
  const list = Array.isArray(params) ? params : [];
  if (list.length >= least && list.length <= most) return list;
  if (least === most)
    throw assertion(`args.size() == ${least}`, `Expected ${least} argument(s), was <n>`, { n: list.length });
  const sizes = Array.from({ length: most - least + 1 }, (_, index) => `args.size() == ${least + index}`);
  throw assertion(sizes.join(" || "), `Expected ${least}-${most} arguments, was <n>`, { n: list.length });
}

/** Reads a list of up to 1000 texts. */
export function readNames(value: unknown): string[] {
  const names = readList(value);
  if (names.length > 1000) throw assertion("args.size() <= 1000", "At most 1000 names");
  return names.map((name) => {
    if (typeof name !== "string") throw badType("Invalid cast from type to string");
    return name;
  });
}

/** Reads a number up to `most`, or returns `fallback` if it is missing. */
export function readLimit(value: unknown, fallback: number, most: number): number {
  const limit = value === undefined ? fallback : Number(value);
  if (!Number.isInteger(limit) || limit < 0) throw badType("Invalid cast from type to uint64");
  if (limit > most) throw assertion("limit <= max", `limit of <n> is greater than ${most}`, { n: limit });
  return limit;
}
