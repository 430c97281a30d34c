import { clsx } from "clsx";
import { emojify } from "../emoji/emojify.ts";

type PlainTextProps = { text: string; myName: string; isLine?: boolean };

/** A text as it is written, with emoji and mentions; with `isLine` its line breaks are spaces. */
export function PlainText({ text, myName, isLine = false }: PlainTextProps) {
  return (
    <span className={isLine ? undefined : "whitespace-pre-wrap"}>
      {splitMentions(text).map((part, index) =>
        part.kind === "mention" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
          <Mention key={index} text={part.text} myName={myName} />
        ) : (
          emojify(part.text)
        ),
      )}
    </span>
  );
}

/** A person's name in a text; the reader's own stands out more. */
export function Mention({ text, myName }: { text: string; myName: string }) {
  const isOwn = isOwnMention(text, myName);
  const Tag = isOwn ? "mark" : "span";
  return (
    <Tag
      className={clsx(
        "rounded px-0.5 font-medium",
        isOwn ? "bg-accent text-accent-ink" : "bg-selected text-ink",
      )}
    >
      {text}
    </Tag>
  );
}

type TextPart = { kind: "text" | "mention"; text: string };

/** `@name` at a word's start; a chain account's name, or one of the names for everybody. */
const MENTION = /(?<![\w@./-])@([a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?)/gi;
const EVERYBODY = new Set(["all", "channel", "here"]);

/** A text cut where people are mentioned. */
export function splitMentions(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(MENTION)) {
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    parts.push({ kind: "mention", text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

/** Whether a mention means the reader. */
function isOwnMention(mention: string, myName: string): boolean {
  const name = mention.slice(1).toLowerCase();
  return name === myName || EVERYBODY.has(name);
}
