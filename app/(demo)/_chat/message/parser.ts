import { createExternalStore } from "../../_ui/external-store.ts";
import type { treeOf } from "./markdown-tree.ts";

/** The parser of Markdown; null until it has loaded, because it is not part of the first load. */
export type Parser = { parse: typeof treeOf | null };

/** The parser, published again whenever more texts can be shown formatted. */
export const parser = createExternalStore<Parser>({ parse: null });

let loading: Promise<void> | null = null;

/** Loads the parser once. */
export function loadParser(): Promise<void> {
  loading ??= import("./markdown-tree.ts").then(
    ({ treeOf }) => parser.publish({ parse: treeOf }),
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}
