/** Returns a text without case and accents, so that "canon" finds "Cañón". */
export const fold = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

const WORD_START = /[^\p{L}\p{N}]+/u;

/**
 * Ranks how well a folded term matches a title and a handle: 0 if it starts the title, 1 a word of the title,
 * 2 the handle or a word of it, 3 if it is within either, and null if in neither.
 */
export function rankOf(term: string, title: string, handle: string): number | null {
  const name = fold(title);
  const key = fold(handle);
  if (name.startsWith(term)) return 0;
  if (hasWord(name, term)) return 1;
  if (hasWord(key, term)) return 2;
  return name.includes(term) || key.includes(term) ? 3 : null;
}

/** Returns whether a word of the text starts with the term, which may span several words. */
function hasWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1))
    if (at === 0 || WORD_START.test(text.charAt(at - 1))) return true;
  return false;
}
