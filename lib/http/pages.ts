import type { IncomingMessage, ServerResponse } from "node:http";
import { createKeptPages } from "./kept-pages.ts";
import { createPageTurns } from "./page-turns.ts";
import { pathOf } from "./route-table.ts";

export type Pages = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Serves the pages that `render` makes: files of the build at once, pages in `kept` as bytes, everything else, addresses
 * without a page included, in turns.
 */
export function createPages(options: {
  render: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  kept: ReadonlySet<string>;
  files: ReadonlySet<string>;
  languageOf: (incoming: IncomingMessage) => string;
  trustProxy: number;
}): Pages {
  const { render, files, languageOf, trustProxy } = options;
  const kept = createKeptPages({ render, paths: options.kept, languageOf });
  const renderInTurn = createPageTurns(render);
  return async (incoming, outgoing) => {
    if (files.has(pathOf(incoming.url))) return render(incoming, outgoing);
    if (kept.takes(incoming)) return kept.serve(incoming, outgoing);
    return renderInTurn(incoming, outgoing, trustProxy);
  };
}
