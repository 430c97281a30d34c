/**
 * A fenced code block. The fences begin lines, even within lists and quotations; the closing one may be
 * missing.
 */
const FENCED = /^[ \t>*+-]*(([`~])\2{2,})(?:(?!\2).)*$[\s\S]*?(?:^[ \t>]*\1\2*[ \t]*$|$(?![\s\S]))/gm;
const BLANK_LINE = /(\n[ \t]*\n)/;
const WORD = /[\p{L}\p{N}:.\-_@]+/gu;
const EDGES = /^[:.\-_]+|[:.\-_]+$/g;
const INNER = /[:.-]/;

type Said = { message: string; props?: unknown };

/**
 * Returns the texts of a post in which Mattermost looks for mentions: its message, and the introduction, text
 * and fields of a program's attachments.
 */
export function textsForMentions({ message, props }: Said): string[] {
  const attached = listIn(props, "attachments").flatMap((card) => [
    ...[textIn(card, "pretext"), textIn(card, "text")],
    ...listIn(card, "fields").map((field) => textIn(field, "value")),
  ]);
  return [message, ...attached].filter((text) => text !== "");
}

const valueIn = (holder: unknown, name: string): unknown =>
  typeof holder === "object" && holder !== null ? Reflect.get(holder, name) : undefined;

function listIn(holder: unknown, name: string): unknown[] {
  const value = valueIn(holder, name);
  return Array.isArray(value) ? value : [];
}

function textIn(holder: unknown, name: string): string {
  const value = valueIn(holder, name);
  return typeof value === "string" ? value : "";
}

/** Removes the code from a message, because Mattermost finds no mentions in it. */
const withoutCode = (message: string): string =>
  message.replaceAll(FENCED, " ").split(BLANK_LINE).map(withoutSpans).join("");

/** Removes everything between two runs of backticks of the same length from a paragraph. */
function withoutSpans(paragraph: string): string {
  const parts = paragraph.split(/(`+)/);
  const ends = new Map<number, number>();
  const nextOf = new Map<string, number>();
  for (let at = parts.length - 2; at > 0; at -= 2) {
    const run = parts[at] ?? "";
    ends.set(at, nextOf.get(run) ?? at);
    nextOf.set(run, at);
  }
  let left = "";
  for (let at = 0; at < parts.length; at++) {
    const end = ends.get(at) ?? at;
    left += end > at ? " " : parts[at];
    at = end;
  }
  return left;
}

/**
 * Returns the lower-case words of a message, among which Mattermost's parser looks for mentions. They consist
 * of letters, digits and `:.-_@`, and neither begin nor end with the first four. A word without a leading `@`
 * is split into its parts too.
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
