import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { log } from "../log.ts";

/** The facts that a built app declares about itself. */
export type NextApp = {
  /** The entry of each path template: `/(demo)/chat/page` for `/chat`. */
  entries: Readonly<Record<string, string>>;
  /** Returns whether Next does more for a path than call its route: middleware, redirects, rewrites or headers. */
  changes(path: string): boolean;
};

const Entries = z.record(z.string(), z.string());
const Rule = z.object({ regex: z.string(), internal: z.boolean().optional() });
const Rules = z.object({
  basePath: z.string(),
  redirects: z.array(Rule),
  headers: z.array(Rule),
  rewrites: z.object({ beforeFiles: z.array(Rule), afterFiles: z.array(Rule) }),
});
const Matched = z.object({ matchers: z.array(z.object({ regexp: z.string() })).optional() });
const AtNode = z.object({ functions: z.record(z.string(), Matched) });
const AtEdge = z.object({ middleware: z.record(z.string(), Matched) });

/** Reads the manifests of the build in `folder`. If they have an unknown format, Next answers everything. */
export function readNextApp(folder: string): NextApp {
  const read = <T>(file: string, shape: z.ZodType<T>): T =>
    shape.parse(JSON.parse(readFileSync(join(folder, ".next", file), "utf8")));
  try {
    const templates = Object.entries(read("app-path-routes-manifest.json", Entries));
    const { basePath, redirects, headers, rewrites } = read("routes-manifest.json", Rules);
    const { functions } = read("server/functions-config-manifest.json", AtNode);
    const { middleware } = read("server/middleware-manifest.json", AtEdge);
    const rules = [...redirects, ...headers, ...rewrites.beforeFiles, ...rewrites.afterFiles];
    // Skips Next's internal rule, which removes a trailing slash, because the dispatcher removes it too.
    const configured = rules.filter(({ internal }) => internal !== true).map(({ regex }) => regex);
    const matchers = [functions["/_middleware"], ...Object.values(middleware)].flatMap(
      (one) => one?.matchers ?? [],
    );
    const patterns = [...configured, ...matchers.map(({ regexp }) => regexp)].map(
      (pattern) => new RegExp(pattern, "i"),
    );
    return {
      entries: Object.fromEntries(templates.map(([entry, template]) => [template, entry])),
      changes: (path) => basePath !== "" || patterns.some((pattern) => pattern.test(path)),
    };
  } catch (err) {
    log().warn(
      { err },
      "the build's manifests cannot be read, so Next answers every request, which is slower: run npm run build again",
    );
    return { entries: {}, changes: () => true };
  }
}
