import { fold } from "./rank.ts";

/** A channel or a person with the names by which readers know them. */
export type Named = { handle: string; title: string; tildeName?: string | null };
/**
 * The names that the reader knows. A conversation's handle is never shown, so `in:` accepts the partner's
 * names instead.
 */
export type Known = {
  channels: readonly Named[];
  conversations: readonly Named[];
  people: readonly Named[];
};

const FILTER = /^-?(in|channel|from):\s*[~@]?/i;
const PHRASE = /^-?"[^"]*"/;
/**
 * A word, including characters that the server treats as a space or a letter, and the punctuation after it.
 */
const WORD = /^(@?[\p{L}\p{M}\p{N}_]+(?:[.'’@/+,-]+[\p{L}\p{M}\p{N}_]+)*)[^\p{L}\p{M}\p{N}\s_"*]*$/u;
const SHORTEST_WORD = 2;
/** Scripts without spaces between words. Korean has spaces, but joins endings to its words. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}\p{sc=Hang}]/u;

/** Returns whether a text has words that Mattermost does not separate from their surroundings. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/**
 * Translates a term to Mattermost's syntax: titles and full names after `in:` and `from:` become handles, and
 * each word is searched as the beginning of a word.
 */
export function serverTermOf(term: string, { channels, conversations, people }: Known): string {
  const parts: string[] = [];
  for (let rest = term.trim(); rest !== ""; rest = rest.trimStart()) {
    const filter = FILTER.exec(rest);
    if (filter) {
      const [start, kind = ""] = filter;
      const value = rest.slice(start.length);
      const isFrom = kind.toLowerCase() === "from";
      const isConversationOf = ({ handle }: { handle: string }) =>
        !isFrom && conversations.some((conversation) => conversation.handle === handle);
      const partner = start.endsWith("@") ? nameAtStart(value, conversations) : null;
      const named =
        partner && isConversationOf(partner)
          ? partner
          : nameAtStart(value, isFrom ? people : [...channels, ...conversations]);
      // After an at sign the server looks for a user.
      const isConversation = isConversationOf(named);
      parts.push(`${isConversation ? start.replace(/@$/, "") : start}${named.handle}`);
      rest = value.slice(named.length);
      continue;
    }
    const [part] = PHRASE.exec(rest) ?? /^\S+/.exec(rest) ?? [rest];
    parts.push(asBeginning(part));
    rest = rest.slice(part.length);
  }
  return parts.join(" ");
}

/** Makes the server search for words that start with the given one, if it can. */
function asBeginning(part: string): string {
  const [, word = ""] = WORD.exec(part) ?? [];
  if ([...word].length >= SHORTEST_WORD || isUnspaced(word)) return `${word}*`;
  return isUnspaced(part) && !/["*:-]/.test(part) ? `${part}*` : part;
}

const squash = (text: string) => fold(text).replaceAll(/[^\p{L}\p{N}]+/gu, "");

/** Returns the handle for the longest name at the start of a text, and the length of that name. */
function nameAtStart(text: string, known: readonly Named[]): { handle: string; length: number } {
  const quoted = /^"([^"]*)"?/.exec(text);
  if (quoted) return { handle: handleOf(quoted[1] ?? "", known), length: quoted[0].length };
  const [word = ""] = /^\S*/.exec(text) ?? [];
  const isHandle = known.some(({ handle }) => handle === word.toLowerCase());
  const lowered = text.toLowerCase();
  const [longest] = known
    .filter(({ title }) => title !== "" && lowered.startsWith(title.toLowerCase()))
    .filter(({ title }) => /^(?:\s|$)/.test(text.slice(title.length)))
    .sort((a, b) => b.title.length - a.title.length);
  if (longest && (!isHandle || longest.title.length > word.length))
    return { handle: longest.handle, length: longest.title.length };
  return { handle: handleOf(word, known), length: word.length };
}

/**
 * Returns the handle for a name, with or without its spaces and accents. An unknown name is returned
 * unchanged, and finds nothing.
 */
const handleOf = (name: string, known: readonly Named[]): string =>
  // Databases are case-sensitive, and handles have no capital letters.
  known.find(({ handle }) => handle === name.toLowerCase())?.handle ??
  known.find(({ title }) => squash(name) !== "" && squash(title) === squash(name))?.handle ??
  name.replaceAll(/\s+/g, "-");

/**
 * Returns the names after `from:` in a term, which may be handles. Of an unquoted name it returns the first
 * word.
 */
export const namesBehindFrom = (term: string): string[] =>
  [...term.matchAll(/(?:^|\s)-?from:\s*@?(?:"([^"]*)|([^\s"]+))/gi)].map(
    ([, quoted, word]) => quoted ?? word ?? "",
  );

export type Filter = { kind: "in" | "from"; part: string; start: number };

/** Returns the unfinished `in:` or `from:` at the end of a text, or null. Its name may span several words. */
export function findFilter(text: string): Filter | null {
  const found = /(?:^|\s)-?(in|from):\s?[~@"]?([^":]*)$/i.exec(text);
  if (!found) return null;
  const [, kind = "", part = ""] = found;
  return { kind: kind.toLowerCase() as Filter["kind"], part, start: text.length - part.length };
}
