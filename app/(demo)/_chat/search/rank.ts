/** A text without case and accents, so that "canon" finds "Cañón". */
export const fold = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

const WORD_START = /[^\p{L}\p{N}]+/u;

/**
 * Returns how well a folded term fits a thing with a title and a handle: 0 begins the title, 1 begins a word of it,
 * 2 begins the handle or a word of that, 3 stands within either; null fits neither.
 */
export function rankOf(term: string, title: string, handle: string): number | null {
  const name = fold(title);
  const key = fold(handle);
  if (name.startsWith(term)) return 0;
  if (hasWord(name, term)) return 1;
  if (hasWord(key, term)) return 2;
  return name.includes(term) || key.includes(term) ? 3 : null;
}

/** Whether a word of the text begins with the term, which may run over several words. */
function hasWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1))
    if (at === 0 || WORD_START.test(text.charAt(at - 1))) return true;
  return false;
}
