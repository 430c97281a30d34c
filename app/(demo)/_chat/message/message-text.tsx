"use client";

import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from "react";
import type { Node } from "./formatted-node.ts";
import { Guarded } from "./guarded.tsx";
import { Markdown, MarkdownExcerpt, MarkdownLine } from "./markdown.tsx";
import { parser } from "./parser.ts";
import { PlainText } from "./plain-text.tsx";
import { prepareText } from "./prepare-texts.ts";
import { isSeen } from "./seen.ts";
import { shownTree } from "./shown-tree.ts";

type MessageTextProps = {
  text: string;
  myName: string;
  /** Shows all text in one line, for places that cut off long text. */
  isLine?: boolean;
};

/** Elements of a line, and of an excerpt, that are visible without words. */
const seenInLine: ReadonlySet<string> = new Set(["img"]);
const seenInExcerpt: ReadonlySet<string> = new Set();

/** Text formatted as its author meant it, or plain if there is nothing to format or formatting fails. */
export function MessageText({ text, myName, isLine = false }: MessageTextProps) {
  const tree = useShownTree(text);
  const plain = <PlainText text={text} myName={myName} isLine={isLine} />;
  if (!tree || (isLine && !isSeen(tree, seenInLine))) return plain;
  const Formatted = isLine ? MarkdownLine : Markdown;
  return (
    <Guarded key={text} instead={plain}>
      <Formatted tree={tree} myName={myName} />
    </Guarded>
  );
}

/**
 * Text inside a link to its message, with the matches of `pattern` marked. Links and pictures are reduced to
 * their words.
 */
export function MessageExcerpt({
  text,
  myName,
  pattern = null,
  plain,
}: MessageTextProps & { pattern?: RegExp | null; plain: ReactNode }) {
  const tree = useShownTree(text);
  if (!tree || !isSeen(tree, seenInExcerpt)) return plain;
  return (
    <Guarded key={`${text} ${pattern}`} instead={plain}>
      <MarkdownExcerpt tree={tree} myName={myName} pattern={pattern} />
    </Guarded>
  );
}

/** Returns the displayed form of a text; null if it is shown plain, at least until the parser has loaded. */
function useShownTree(text: string): Node | null {
  const present = useSyncExternalStore(parser.subscribe, parser.snapshot, parser.snapshot);
  const tree = useMemo(() => shownTree(text, present), [text, present]);
  useEffect(() => {
    if (!tree && !present.parse) void prepareText(text);
  }, [text, tree, present]);
  return tree;
}
