import type { IncomingMessage, ServerResponse } from "node:http";
import { createKeptPages } from "./kept-pages.ts";
import { createPageTurns } from "./page-turns.ts";
import { pathOf } from "./route-table.ts";

export type Pages = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/**
 * Serves what `render` makes: pages in `kept` as bytes, all other pages, addresses without one included, in turns, and at
 * once what is no page: files of the build, routes of an app that extends this one, server actions.
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
    if (files.has(pathOf(incoming.url)) || !asksForPage(incoming)) return render(incoming, outgoing);
    if (kept.takes(incoming)) return kept.serve(incoming, outgoing);
    return renderInTurn(incoming, outgoing, trustProxy);
  };
}

const asksForPage = ({ method, url }: IncomingMessage) =>
  (method === "GET" || method === "HEAD") && !/^\/(?:api|_next\/image)(?:[/?]|$)/.test(url ?? "");
