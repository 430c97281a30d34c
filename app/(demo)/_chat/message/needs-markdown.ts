import { isDeeplyNested } from "./nesting.ts";

// The bounds keep a long draft from taking a second at each key.
const SIGNS =
  /[*_~`#>|[\]\\<&]|https?:\/\/|www\.|@\S{1,254}\.\S|^[ \t]{0,99}(?:[-+]|\d{1,9}[.)])\s|^(?: {4}|\t)|\n\s*\n|^[ \t]{0,99}[-=]{2,}/im;
const SHORT_NAME = /:[a-z0-9_+-]{1,64}:/g;

/** Text that is nested too deeply for the formatter, and more deeply than anyone writes by hand. */
const HOSTILE = /^(?:[ \t]*>){12}|[[\]]{40}|[*_~`]{60}|(?:\|[^|\n]*){200}/m;

/**
 * Returns whether to format a text: it has signs of formatting, and is not nested too deeply for the
 * formatter.
 */
export function needsMarkdown(text: string): boolean {
  return SIGNS.test(text.replace(SHORT_NAME, "")) && !HOSTILE.test(text) && !isDeeplyNested(text);
}
