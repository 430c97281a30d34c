const CODE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]+`/g;
const WORD = /[\p{L}\p{N}:.\-_@]+/gu;
const EDGES = /^[:.\-_]+|[:.\-_]+$/g;
const INNER = /[:.-]/;

/** A message without its code, in which Mattermost finds no mentions. */
const withoutCode = (message: string): string => message.replaceAll(CODE, " ");

/**
 * Returns the words of a message, in lower case, as Mattermost's parser looks for mentions among them: they consist of
 * letters, digits and `:.-_@`, and neither begin nor end with the first four. A word without an `@` at its beginning counts
 * by its parts as well.
 */
export function wordsForMentions(message: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [found] of withoutCode(message).matchAll(WORD)) {
    const word = found.replaceAll(EDGES, "").toLowerCase();
    words.add(word);
    if (!word.startsWith("@")) for (const part of word.split(INNER)) words.add(part);
  }
  return words;
}
