/** A text with what a pattern finds marked; the pattern is one group. */
export function Highlight({ text, pattern }: { text: string; pattern: RegExp | null }) {
  if (!pattern) return text;
  return text.split(pattern).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}
