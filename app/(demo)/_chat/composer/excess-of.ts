/** What the chat server takes. */
export const MAX_CHARACTERS = 16_383;

/** How many characters a text has too many, counted as the server counts them. */
export function excessOf(text: string): number {
  if (text.length <= MAX_CHARACTERS) return 0;
  return Math.max(0, [...text.trim()].length - MAX_CHARACTERS);
}
