const CHARACTERS = 1_600;
const LINES = 24;

/** The beginning of a long text; a short one as it is. */
export function shorten(text: string): string {
  const lines = text.split("\n", LINES + 1);
  const isLong = text.length > CHARACTERS || lines.length > LINES;
  if (!isLong) return text;
  const beginning = lines.slice(0, LINES).join("\n").slice(0, CHARACTERS);
  // Half a character at the cut would show as a box.
  return `${beginning.replace(/[\ud800-\udbff]$/, "")}…`;
}
