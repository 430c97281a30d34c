"use client";

import { useMemo } from "react";
import { useChat } from "../chat-context.ts";
import { emojify } from "../emoji/emojify.ts";
import { useFormatter } from "../message/formatter.ts";
import { Guarded } from "../message/guarded.tsx";
import { needsMarkdown } from "../message/needs-markdown.ts";
import { excerptOf, patternOf } from "./excerpt.ts";
import { Highlight } from "./highlight.tsx";

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
