import { useEffect } from "react";
import { loadEmojiTable } from "../emoji/emojify.ts";
import { loadParser, parser } from "./parser.ts";
import { readTrees, SENT_TREES } from "./sent-trees.ts";
import { isShownWhole, keepTree } from "./shown-tree.ts";

/** Maximum wait for the parser. */
const PATIENCE_MS = 3_000;

/** Makes a text ready to be shown formatted, if it needs that. */
export async function prepareText(text: string): Promise<void> {
  if (isShownWhole(text, parser.snapshot())) return;
  await takeSentTrees();
  // Without the parser, the plain text shows.
  if (!isShownWhole(text, parser.snapshot())) await loadParser().catch(() => undefined);
}

/** Resolves once any message can be shown formatted, or after a few seconds. */
export async function prepareMessages(): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([loadParser().catch(() => undefined), isLate]);
  clearTimeout(timer);
}

/**
 * Makes the latest messages of a channel ready to be shown formatted, while they are requested. The page may
 * have brought them with their displayed forms.
 */
export async function prepareLatest(channelId: string): Promise<void> {
  if ((await takeSentTrees()) !== channelId) await prepareMessages();
}

/** Makes messages ready to be shown formatted, while they are requested. */
export function usePreparedMessages(): void {
  useEffect(() => {
    void prepareMessages();
    void loadEmojiTable().catch(() => undefined);
  }, []);
}

let taking: Promise<string | null> | undefined;

/**
 * Takes the displayed forms of texts that came with the page, once it is complete. Returns the id of the
 * channel with these texts, or null if none came.
 */
function takeSentTrees(): Promise<string | null> {
  taking ??= new Promise((resolve) => {
    const take = () => {
      const sent = document.getElementById(SENT_TREES);
      for (const [text, tree] of readTrees(sent?.textContent ?? "[]")) keepTree(text, tree);
      if (sent) parser.publish({ ...parser.snapshot() });
      resolve(sent?.dataset.channel ?? null);
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", take);
    else take();
  });
  return taking;
}
