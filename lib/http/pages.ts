import type { IncomingMessage, ServerResponse } from "node:http";
import { preferCompressedFile } from "./compressed-files.ts";
import { createKeptPages } from "./kept-pages.ts";
import { createPageTurns } from "./page-turns.ts";
import { pathOf } from "./route-table.ts";

export type Pages = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Serves the pages of `render`: those in `kept` as stored bytes, other pages that `takesTurns` selects in
 * turns, and everything else at once, such as files of the build (compressed ones if possible), server
 * actions, and pages and routes of an app that extends this one.
 */
export function createPages(options: {
  render: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  kept: ReadonlySet<string>;
  files: ReadonlySet<string>;
  takesTurns: (path: string) => boolean;
  languageOf: (incoming: IncomingMessage) => string;
  trustProxy: number;
}): Pages {
  const { render, files, takesTurns, languageOf, trustProxy } = options;
  const kept = createKeptPages({ render, paths: options.kept, languageOf });
  const renderInTurn = createPageTurns(render);
  return async (incoming, outgoing) => {
    const path = pathOf(incoming.url);
    if (files.has(path)) {
      preferCompressedFile(incoming, outgoing, files);
      return render(incoming, outgoing);
    }
    if (!asksForPage(incoming) || !takesTurns(path)) return render(incoming, outgoing);
    if (kept.takes(incoming) && (await kept.serve(incoming, outgoing))) return;
    return renderInTurn(incoming, outgoing, trustProxy);
  };
}

const asksForPage = ({ method, url }: IncomingMessage) =>
  (method === "GET" || method === "HEAD") && !/^\/(?:api|_next\/image)(?:[/?]|$)/.test(url ?? "");
