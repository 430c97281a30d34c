type Room = { characters: number; lines: number };

/** The part of a long message that is shown at first. */
const OPEN: Room = { characters: 1_600, lines: 24 };
/** The shorter part of a message that only serves as a reminder of its subject. */
export const FOLDED: Room = { characters: 240, lines: 3 };

/** Returns the beginning of a long text, or a short text unchanged. */
export function shorten(text: string, room: Room = OPEN): string {
  const lines = text.split("\n", room.lines + 1);
  const isLong = text.length > room.characters || lines.length > room.lines;
  if (!isLong) return text;
  const beginning = lines.slice(0, room.lines).join("\n").slice(0, room.characters);
  // Half of a character at the cut would show as a box.
  return `${beginning.replace(/[\ud800-\udbff]$/, "")}…`;
}
