import type { IncomingMessage, ServerResponse } from "node:http";
import { acceptsCoding } from "./accepts-coding.ts";
import { pathOf } from "./route-table.ts";

const types: Readonly<Record<string, string>> = {
  js: "application/javascript; charset=UTF-8",
  css: "text/css; charset=UTF-8",
};

/**
 * Lets a request for a static file be answered with the copy that `npm run build` compressed, if there is one
 * and the request accepts brotli. Requests for a range get their bytes of the plain file.
 */
export function preferCompressedFile(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  files: ReadonlySet<string>,
): void {
  const path = pathOf(incoming.url);
  const copy = `${path}.br`;
  const type = types[path.slice(path.lastIndexOf(".") + 1)];
  if (type === undefined || !files.has(copy) || incoming.headers.range !== undefined) return;
  if (!acceptsCoding(incoming, "br")) return;
  incoming.url = copy;
  outgoing.setHeader("content-type", type);
  outgoing.setHeader("content-encoding", "br");
}
