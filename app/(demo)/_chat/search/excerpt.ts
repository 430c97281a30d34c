import { quote, readSought } from "./sought.ts";

/** Number of characters shown before a match. */
const CONTEXT = 80;
const LONGEST = CONTEXT * 5;

/** Returns a pattern with one group that matches the words of a search; null if it contains none. */
export function patternOf(term: string): RegExp | null {
  const words = readSought(term).words.flatMap((phrase) => phrase.split(/\s+/));
  return words.length === 0 ? null : new RegExp(`(${words.map(quote).join("|")})`, "giu");
}

/** Returns a message's text from shortly before the first match, starting at a line or a word. */
export function excerptOf(text: string, pattern: RegExp | null): string {
  const first = pattern ? Math.max(text.search(pattern), 0) : 0;
  if (first <= CONTEXT) return text.slice(0, LONGEST);
  const line = text.lastIndexOf("\n", first) + 1;
  const start = first - line <= CONTEXT ? line : text.lastIndexOf(" ", first - CONTEXT / 2) + 1;
  const from = start > 0 && first - start <= CONTEXT ? start : first;
  return `…${text.slice(from, from + LONGEST)}`;
}
