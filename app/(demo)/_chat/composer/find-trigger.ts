export type Trigger = { kind: "person" | "emoji"; part: string; start: number };

const PERSON = /(?:^|[\s([{"'])@([a-z0-9._-]{0,64})$/i;
const EMOJI = /(?:^|[\s([{"'])?:([a-z0-9_+-]{2,64})$/;

/** The unfinished `@name` or `:emoji` before the cursor, or null. */
export function findTrigger(text: string, cursor: number): Trigger | null {
  const before = text.slice(0, cursor);
  const person = PERSON.exec(before)?.[1];
  if (person !== undefined)
    return { kind: "person", part: person.toLowerCase(), start: cursor - person.length - 1 };
  const emoji = EMOJI.exec(before)?.[1];
  if (emoji === undefined) return null;
  const start = cursor - emoji.length - 1;
  // In "10:30" and "http://x:80" the colon is no beginning.
  if (start > 0 && /[\w/]/.test(text.charAt(start - 1))) return null;
  return { kind: "emoji", part: emoji, start };
}
