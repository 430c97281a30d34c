type TextPart = { kind: "text" | "mention" | "channel"; text: string };

/**
 * `@name` at the start of a word, the name of a chain account or a group; or `~name`, the name of a channel.
 */
const MENTION =
  /(?<![\w@./-])@([a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?)|(?<![\w~./-])~[a-z0-9][a-z0-9_-]{1,63}(?![\w~])/gi;
const EVERYBODY = new Set(["all", "channel", "here"]);

/** Splits a text at mentions of people and channels. */
export function splitMentions(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    parts.push({ kind: match[0].startsWith("~") ? "channel" : "mention", text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

/** Returns whether a mention addresses the reader. */
export function isOwnMention(mention: string, myName: string): boolean {
  const name = mention.slice(1).toLowerCase();
  return name === myName || EVERYBODY.has(name);
}
