import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Post } from "../data/model.ts";
import { awaitsEmojiTable, loadEmojiTable } from "../emoji/emojify.ts";
import { parser } from "./parser.ts";
import { prepareText } from "./prepare-texts.ts";
import { shownTextsOf } from "./shown-texts.ts";
import { isShownWhole } from "./shown-tree.ts";

/** Maximum wait for formatting. */
const PATIENCE_MS = 3_000;

/**
 * Returns whether a list can show its first posts; null stands for posts that have not loaded. False while what
 * they need is loading, because messages shown earlier would change their height under the reader.
 */
export function useArePostsSettled(posts: readonly Post[] | null): boolean {
  const present = useSyncExternalStore(parser.subscribe, parser.snapshot, parser.snapshot);
  const [isSettled, setIsSettled] = useState(false);
  const [isTableAsked, setIsTableAsked] = useState(false);
  const texts = useMemo(() => posts?.flatMap(shownTextsOf) ?? [], [posts]);
  const unparsed = isSettled ? undefined : texts.find((text) => !isShownWhole(text, present));
  const needsTable = posts !== null && !isSettled && !isTableAsked && needEmojiTable(posts);
  const isReady = posts !== null && unparsed === undefined && !needsTable;
  const isWaiting = posts !== null && !isReady && !isSettled;
  useEffect(() => {
    // Without the table, common emoji still show, and others show by name.
    const asked = loadEmojiTable().catch(() => undefined);
    if (needsTable) void asked.then(() => setIsTableAsked(true));
  }, [needsTable]);
  useEffect(() => {
    if (unparsed === undefined) return;
    void prepareText(unparsed).then(() => {
      // Without the parser, the plain text shows.
      if (!isShownWhole(unparsed, parser.snapshot())) setIsSettled(true);
    });
  }, [unparsed]);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => setIsSettled(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  // Once settled, it stays settled.
  if (isReady && !isSettled) setIsSettled(true);
  return isReady || isSettled;
}

/** Returns whether posts contain an emoji that is shown by name until the emoji table is loaded. */
const needEmojiTable = (posts: readonly Post[]): boolean =>
  posts.some(
    ({ message, metadata }) =>
      awaitsEmojiTable(message) ||
      metadata?.reactions?.some(({ emojiName }) => awaitsEmojiTable(`:${emojiName}:`)),
  );
