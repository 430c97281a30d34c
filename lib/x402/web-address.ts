/** Returns whether a text is an absolute http or https address; "localhost:4020" is a URL too, of the scheme localhost. */
export function isWebAddress(text: unknown): text is string {
  return typeof text === "string" && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
