/** What the chat server takes. */
export const MAX_CHARACTERS = 16_383;

/** How many characters a text has too many, counted as the server counts them. */
export function excessOf(text: string): number {
  if (text.length <= MAX_CHARACTERS) return 0;
  return Math.max(0, [...text.trim()].length - MAX_CHARACTERS);
}

type Marked = { from: number; to: number; insert: string; selectFrom: number };

/** Puts a markdown mark on both sides of what is selected, or takes it away where it is; offsets are of the text before. */
export function toggleMark(text: string, start: number, end: number, mark: string): Marked {
  const selected = text.slice(start, end);
  const [from, to] = [start - mark.length, end + mark.length];
  const isMarked = from >= 0 && text.slice(from, start) === mark && text.slice(end, to) === mark;
  if (isMarked) return { from, to, insert: selected, selectFrom: from };
  return { from: start, to: end, insert: `${mark}${selected}${mark}`, selectFrom: start + mark.length };
}
