"use client";

import { Component, type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { createExternalStore } from "../../_ui/external-store.ts";
import type { Post } from "../data/model.ts";
import { awaitsEmojiTable, loadEmojiTable } from "../emoji/emojify.ts";
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

/** A text inside a link to its message, what `pattern` finds marked: of links and pictures the words are left. */
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

/** Longer than this nobody waits for looks. */
const PATIENCE_MS = 3_000;

const formatter = createExternalStore<Formatter | null>(null);
let loading: Promise<void> | null = null;

const importFormatter = () => import("./markdown.tsx");

/** Gives what formats texts to all that shows them, where it was loaded with the page. */
export const provideFormatter = (provided: Formatter): void => formatter.publish(provided);

function loadFormatter(): Promise<void> {
  if (formatter.snapshot() !== null) return Promise.resolve();
  loading ??= importFormatter().then(formatter.publish, (error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** What formats texts, which is no part of the first load; null until it is there. */
export function useFormatter(): Formatter | null {
  return useSyncExternalStore(formatter.subscribe, formatter.snapshot, () => null);
}

/**
 * Loads what messages are shown with. False while it is on its way: messages that were shown before would change
 * their height under the reader. The table of emoji is waited for where they need it.
 */
export function useIsFormatterSettled(needsTable = true): boolean {
  const isFormatted = useFormatter() !== null;
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    const settle = () => setIsSettled(true);
    const timer = setTimeout(settle, PATIENCE_MS);
    // Without the table the common emoji still show, and others as their names; without the formatter the text does.
    void Promise.allSettled([loadFormatter(), loadEmojiTable()]).then(settle);
    return () => clearTimeout(timer);
  }, []);
  // Settled it stays, whatever comes in later.
  if (!isSettled && isFormatted && !needsTable) setIsSettled(true);
  return isSettled || (isFormatted && !needsTable);
}

/** Whether posts hold an emoji that is shown by its name until the table of emoji is there. */
export const needEmojiTable = (posts: readonly Post[]): boolean =>
  posts.some(
    ({ message, metadata }) =>
      awaitsEmojiTable(message) ||
      metadata?.reactions?.some(({ emoji_name }) => awaitsEmojiTable(`:${emoji_name}:`)),
  );

/** Shows `instead` when `children` can't be rendered. */
export class Guarded extends Component<{ instead: ReactNode; children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children;
  }
}
