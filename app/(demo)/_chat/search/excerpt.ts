const OPERATOR = /(?:^|\s)-?(?:from|in|before|after|on):\S*/gi;
/** Characters before a hit that say what it is about. */
const CONTEXT = 80;
const LONGEST = CONTEXT * 5;

/** The words of a search term, without its operators. */
function wordsOf(term: string): string[] {
  return term
    .replaceAll(OPERATOR, " ")
    .split(/[\s"]+/)
    .map((word) => word.replace(/^[#@-]+/, "").replace(/\*+$/, ""))
    .filter((word) => word !== "");
}

const quote = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What finds the words of a search in a text, in a group of its own; null where it looks for none. */
export function patternOf(term: string): RegExp | null {
  const words = wordsOf(term);
  return words.length === 0 ? null : new RegExp(`(${words.map(quote).join("|")})`, "giu");
}

/** A message's text from a little before the first hit on, begun at a line or a word. */
export function excerptOf(text: string, pattern: RegExp | null): string {
  const first = pattern ? Math.max(text.search(pattern), 0) : 0;
  if (first <= CONTEXT) return text.slice(0, LONGEST);
  const line = text.lastIndexOf("\n", first) + 1;
  const start = first - line <= CONTEXT ? line : text.lastIndexOf(" ", first - CONTEXT / 2) + 1;
  const from = start > 0 && first - start <= CONTEXT ? start : first;
  return `…${text.slice(from, from + LONGEST)}`;
}
