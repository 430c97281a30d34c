/**
 * Refuses options that nobody reads: a caller who misspells one would pay or sell on looser terms than meant.
 * @throws TypeError naming the option.
 */
export function refuseUnknown(options: object, known: Readonly<Record<string, true>>, what = ""): void {
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
