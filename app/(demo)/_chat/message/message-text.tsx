"use client";

import { lazy, Suspense, useMemo } from "react";
import { Guarded } from "./guarded.tsx";
import { loadMarkdown } from "./load-markdown.ts";
import { needsMarkdown } from "./needs-markdown.ts";
import { PlainText } from "./plain-text.tsx";

const Markdown = lazy(() => loadMarkdown().then((module) => ({ default: module.Markdown })));

/** A text as its author meant it; plain where there is nothing to format, or formatting fails. */
export function MessageText({ text, myName }: { text: string; myName: string }) {
  const isFormatted = useMemo(() => needsMarkdown(text), [text]);
  const plain = <PlainText text={text} myName={myName} />;
  if (!isFormatted) return plain;
  return (
    <Guarded key={text} instead={plain}>
      <Suspense fallback={plain}>
        <Markdown text={text} myName={myName} />
      </Suspense>
    </Guarded>
  );
}
