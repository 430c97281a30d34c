import { createExternalStore } from "../../_ui/external-store.ts";
import type { treeOf } from "./markdown-tree.ts";

/** The parser of Markdown; null until it has loaded, because it is not part of the first load. */
export type Parser = { parse: typeof treeOf | null };

/** The parser, published again whenever more texts can be shown formatted. */
export const parser = createExternalStore<Parser>({ parse: null });

/** Pause after a failed try. */
const RETRY_MS = 10_000;

let loading: Promise<void> | null = null;

/** Loads the parser once. After a failure, the texts on the screen ask for it again in a few seconds. */
export function loadParser(): Promise<void> {
  loading ??= import("./markdown-tree.ts").then(
    ({ treeOf }) => parser.publish({ parse: treeOf }),
    (error: unknown) => {
      setTimeout(() => {
        loading = null;
        parser.publish({ ...parser.snapshot() });
      }, RETRY_MS);
      throw error;
    },
  );
  return loading;
}
