/**
 * Refuses options that nobody reads: a caller who misspells one would pay or sell on looser terms than meant.
 * @throws TypeError naming the option.
 */
export function assertKnown(options: object, known: Readonly<Record<string, true>>, what = ""): void {
  if (typeof options !== "object" || options === null)
    throw new TypeError(`${what || "options"} must be an object`);
  const prefix = what === "" ? "" : `${what}.`;
  for (const name of Object.keys(options))
    if (!Object.hasOwn(known, name))
      throw new TypeError(`${prefix}${name} is no option: known are ${Object.keys(known).join(", ")}`);
}

/** Returns whether a text is an absolute http or https address; "localhost:4020" is a URL too, of the scheme localhost. */
export function isWebAddress(text: unknown): text is string {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Reads an ISO 8601 time with its zone into milliseconds since 1970; `null` for what can't be read, or names no zone. */
export function readIsoTime(text: string): number | null {
  const ms = isoTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}

/** Warns the operator; outside of Node, whose process alone takes warnings, on the console. */
export function warn(message: string, code: string): void {
  // At the edge there may be a `process` that is not Node's, and throws for what it does not know.
  const { process } = globalThis as {
    process?: { release?: { name?: string } } & Pick<NodeJS.Process, "emitWarning">;
  };
  if (process?.release?.name === "node") process.emitWarning(message, { code });
  else console.warn(`(${code}) ${message}`);
}
