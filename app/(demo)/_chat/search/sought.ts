import { fold } from "./rank.ts";
import { isUnspaced } from "./server-term.ts";

/** The parsed form of a term in the server's language. */
export type Sought = {
  /** Words and phrases that a message must contain, as they were typed. */
  words: string[];
  /** Words and phrases that a message must not contain. An asterisk after a word stands for any ending. */
  excluded: string[];
  /** Handles of the authors. */
  from: string[];
  notFrom: string[];
  in: string[];
  notIn: string[];
  /** The start of the period in which the message was written. */
  since: number;
  until: number;
};

const PART =
  /(-?)(?:(from|in|channel|before|after|on):\s*[~@]?(?:"([^"]*)"?|(\S*))|[#@]*"([^"]*)"?|([^\s"]+))/gi;

/** Parses a term in the server's language. */
export function readSought(term: string): Sought {
  const sought: Sought = {
    ...{ words: [], excluded: [], from: [], notFrom: [], in: [], notIn: [] },
    ...{ since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY },
  };
  for (const [, minus, operator, quoted, value, phrase, word] of term.matchAll(PART)) {
    const isNot = minus === "-";
    const said = (quoted ?? value ?? phrase ?? word ?? "").trim();
    const kind = operator?.toLowerCase();
    if (kind === undefined) {
      const plain = said.replace(/^[#@]+/, "");
      if (isNot) sought.excluded.push(plain);
      else sought.words.push(plain.replace(/\*+$/, ""));
    } else if (kind === "from") (isNot ? sought.notFrom : sought.from).push(said.toLowerCase());
    else if (kind === "in" || kind === "channel") (isNot ? sought.notIn : sought.in).push(said.toLowerCase());
    else narrow(sought, kind, said);
  }
  for (const list of ["words", "excluded", "from", "notFrom", "in", "notIn"] as const)
    sought[list] = sought[list].filter((part) => part !== "");
  return sought;
}

/** Narrows the period to the time before, after or on a day of the reader's calendar. */
function narrow(sought: Sought, kind: string, day: string): void {
  const [, year, month, date] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(day)?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined) return;
  const begin = new Date(year, month - 1, date).getTime();
  const end = new Date(year, month - 1, date + 1).getTime();
  if (kind !== "before") sought.since = Math.max(sought.since, kind === "after" ? end : begin);
  if (kind !== "after") sought.until = Math.min(sought.until, kind === "before" ? begin : end);
}

type Said = { message: string; author: string | undefined; at: number };

/** Returns whether the filters include a channel, by its handle. */
export const isSoughtIn = (sought: Sought, handle: string): boolean =>
  isAmong(sought.in, sought.notIn, handle);

/**
 * Returns whether a message matches, in a channel that the filters include. The words may occur anywhere,
 * even within other words.
 */
export function isSought(sought: Sought, { message, author, at }: Said): boolean {
  const text = fold(message);
  return (
    isAmong(sought.from, sought.notFrom, author) &&
    at >= sought.since &&
    at < sought.until &&
    sought.words.every((word) => text.includes(fold(word))) &&
    !sought.excluded.some((word) => hasWhole(text, word))
  );
}

const isAmong = (wanted: readonly string[], unwanted: readonly string[], handle = "") =>
  (wanted.length === 0 || wanted.includes(handle)) && !unwanted.includes(handle);

/** Escapes the characters that are special in a regular expression. */
export const quote = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns whether a folded text contains a whole word, which is how the server treats exclusions. */
function hasWhole(text: string, excluded: string): boolean {
  const word = fold(excluded.replace(/\*+$/, ""));
  if (isUnspaced(word)) return text.includes(word);
  const end = excluded.endsWith("*") ? "" : "(?![\\p{L}\\p{N}_])";
  return new RegExp(`(?<![\\p{L}\\p{N}_])${quote(word)}${end}`, "u").test(text);
}
