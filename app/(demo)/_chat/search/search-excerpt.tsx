"use client";

import { useMemo } from "react";
import { useChat } from "../chat-context.ts";
import { emojify } from "../emoji/emojify.ts";
import { Guarded, needsMarkdown, useFormatter } from "../message/message-text.tsx";

/** Where a message has what was searched for, as the timeline shows it, the words marked. */
export function SearchExcerpt({ text, term }: { text: string; term: string }) {
  const { me } = useChat();
  const formatter = useFormatter();
  const pattern = useMemo(() => patternOf(term), [term]);
  const excerpt = useMemo(() => excerptOf(text, pattern), [text, pattern]);
  const plain = <Highlight text={emojify(excerpt)} pattern={pattern} />;
  if (!formatter || !needsMarkdown(excerpt)) return plain;
  return (
    <Guarded key={excerpt} instead={plain}>
      <formatter.MarkdownExcerpt text={excerpt} myName={me.username} pattern={pattern} />
    </Guarded>
  );
}

/** A text with what a pattern finds marked; the pattern is one group. */
function Highlight({ text, pattern }: { text: string; pattern: RegExp | null }) {
  if (!pattern) return text;
  return text.split(pattern).map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
  );
}

const OPERATOR = /(?:^|\s)-?(?:from|in|before|after|on):\S*/gi;
/** Characters before a hit that say what it is about. */
const CONTEXT = 80;
const LONGEST = CONTEXT * 5;

/** The words of a search term, without its operators. */
function wordsOf(term: string): string[] {
  return term
    .replaceAll(OPERATOR, " ")
    .split(/[\s"]+/)
    .map((word) => word.replace(/^[#@-]+/, "").replace(/\*+$/, ""))
    .filter((word) => word !== "");
}

const quote = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** What finds the words of a search in a text, in a group of its own; null where it looks for none. */
export function patternOf(term: string): RegExp | null {
  const words = wordsOf(term);
  return words.length === 0 ? null : new RegExp(`(${words.map(quote).join("|")})`, "giu");
}

/** A message's text from a little before the first hit on, begun at a line or a word. */
export function excerptOf(text: string, pattern: RegExp | null): string {
  const first = pattern ? Math.max(text.search(pattern), 0) : 0;
  if (first <= CONTEXT) return text.slice(0, LONGEST);
  const line = text.lastIndexOf("\n", first) + 1;
  const start = first - line <= CONTEXT ? line : text.lastIndexOf(" ", first - CONTEXT / 2) + 1;
  const from = start > 0 && first - start <= CONTEXT ? start : first;
  return `…${text.slice(from, from + LONGEST)}`;
}
