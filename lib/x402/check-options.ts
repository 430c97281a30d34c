import { type Mils, parseMils } from "../mils.ts";

/**
 * The names of the options that are given to all parts of the library at once. All copies of the library
 * share the symbol.
 */
const OF_EVERY_PART = Symbol.for("hivegate.options of every part");

/**
 * Marks options, and copies of them, so that each part of the library reads its own options and ignores the
 * others.
 */
export function forEveryPart<Options extends object>(options: Options): Options {
  return { ...options, [OF_EVERY_PART]: Object.keys(options) };
}

/**
 * Refuses unknown options, because a caller who misspells one would pay or sell on looser terms than
 * intended.
 * @throws TypeError that names the option
 */
export function assertKnown(options: object, known: Readonly<Record<string, true>>, what = ""): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${what || "options"} must be an object`);
  const prefix = what === "" ? "" : `${what}.`;
  const { [OF_EVERY_PART]: passedOver } = options as { [OF_EVERY_PART]?: readonly string[] };
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name) && !passedOver?.includes(name))
      throw new TypeError(`${prefix}${name} is no option: known are ${Object.keys(known).join(", ")}`);
}

/**
 * Reads an amount from an option. Callers without types can pass a number of HBD, as `@hiveio/x402` takes it; the error
 * then shows the text for it.
 * @throws TypeError that names the option and shows the form
 */
export function readAmountOption(amount: string, name: string): Mils {
  const mils = typeof amount === "string" ? parseMils(amount) : null;
  if (mils !== null) return mils;
  const hbd = Number(amount);
  const example = hbd >= 0.001 && hbd < 1e12 ? hbd.toFixed(3) : "0.050";
  throw new TypeError(`${name} must be text such as "${example} HBD"`);
}

/**
 * Returns whether a text is an absolute http or https address, which "localhost:4020" is not: as a URL, its
 * scheme is `localhost`.
 */
export function isWebAddress(text: unknown): text is string {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Parses an ISO 8601 time with its zone into milliseconds since 1970; `null` if it is unreadable or lacks a zone. */
export function readIsoTime(text: string): number | null {
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

/** Warns the operator: in Node as a process warning, elsewhere on the console. */
export function warn(message: string, code: string): void {
  // Edge runtimes can have a `process` other than Node's, which throws for unsupported calls.
  const { process } = globalThis as {
    process?: { release?: { name?: string } } & Pick<NodeJS.Process, "emitWarning">;
  };
  if (process?.release?.name === "node") process.emitWarning(message, { code });
  else console.warn(`(${code}) ${message}`);
}
