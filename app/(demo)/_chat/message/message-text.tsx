"use client";

import { type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { createExternalStore } from "../../_ui/external-store.ts";
import type { Post } from "../data/model.ts";
import { awaitsEmojiTable, loadEmojiTable } from "../emoji/emojify.ts";
import { Guarded } from "./guarded.tsx";
import { needsMarkdown } from "./needs-markdown.ts";
import { PlainText } from "./plain-text.tsx";

type MessageTextProps = {
  text: string;
  myName: string;
  /** Shows all text in one line, for places that cut off long text. */
  isLine?: boolean;
};

/** Text formatted as its author meant it, or plain if there is nothing to format or formatting fails. */
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
  const formatter = useFormatter();
  if (!formatter || !needsMarkdown(text)) return plain;
  return (
    <Guarded key={`${text} ${pattern}`} instead={plain}>
      <formatter.MarkdownExcerpt text={text} myName={myName} pattern={pattern} />
    </Guarded>
  );
}

type Formatter = Awaited<ReturnType<typeof importFormatter>>;

/** Maximum wait for formatting. */
const PATIENCE_MS = 3_000;

const formatter = createExternalStore<Formatter | null>(null);
let loading: Promise<void> | null = null;

const importFormatter = () => import("./markdown.tsx");

/** Provides the formatter to everything that shows text, if it was loaded with the page. */
export const provideFormatter = (provided: Formatter): void => formatter.publish(provided);

function loadFormatter(): Promise<void> {
  if (formatter.snapshot() !== null) return Promise.resolve();
  loading ??= importFormatter().then(formatter.publish, (error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Returns the formatter, or null until it has loaded; it is not part of the first load. */
export function useFormatter(): Formatter | null {
  return useSyncExternalStore(formatter.subscribe, formatter.snapshot, () => null);
}

/**
 * Loads the parts that display messages. Returns false while they are loading, because messages shown earlier
 * would change their height under the reader. `needsTable` also makes it wait for the emoji table.
 */
export function useIsFormatterSettled(needsTable = true): boolean {
  const isFormatted = useFormatter() !== null;
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    const settle = () => setIsSettled(true);
    const timer = setTimeout(settle, PATIENCE_MS);
    // Without the table, common emoji still show, and others show by name. Without the formatter, the plain
    // text shows.
    void Promise.allSettled([loadFormatter(), loadEmojiTable()]).then(settle);
    return () => clearTimeout(timer);
  }, []);
  // Once settled, it stays settled.
  if (!isSettled && isFormatted && !needsTable) setIsSettled(true);
  return isSettled || (isFormatted && !needsTable);
}

/** Returns whether posts contain an emoji that is shown by name until the emoji table is loaded. */
export const needEmojiTable = (posts: readonly Post[]): boolean =>
  posts.some(
    ({ message, metadata }) =>
      awaitsEmojiTable(message) ||
      metadata?.reactions?.some(({ emojiName }) => awaitsEmojiTable(`:${emojiName}:`)),
  );
