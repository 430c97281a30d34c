"use client";

import { useMemo } from "react";
import { useFormatter } from "./formatter.ts";
import { Guarded } from "./guarded.tsx";
import { needsMarkdown } from "./needs-markdown.ts";
import { PlainText } from "./plain-text.tsx";

type MessageTextProps = {
  text: string;
  myName: string;
  /** All of it in one line, for a place that cuts what is too long. */
  isLine?: boolean;
};

/** A text as its author meant it; plain where there is nothing to format, or formatting fails. */
export function MessageText({ text, myName, isLine = false }: MessageTextProps) {
  const isFormatted = useMemo(() => needsMarkdown(text), [text]);
  const formatter = useFormatter();
  const plain = <PlainText text={text} myName={myName} isLine={isLine} />;
  if (!isFormatted || !formatter) return plain;
  const Formatted = isLine ? formatter.MarkdownLine : formatter.Markdown;
  return (
    <Guarded key={text} instead={plain}>
      <Formatted text={text} myName={myName} />
    </Guarded>
  );
}
