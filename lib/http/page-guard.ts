import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { CodedError } from "../errors.ts";
import { normalizedPath, pathOf } from "./route-table.ts";

/** Conditions and ranges of static files: Next answers 500 where they don't hold, and a server may ignore them. */
const ignoredHeaders = ["range", "if-range", "if-match", "if-unmodified-since"];

/** What Next would serve, and nobody here asks for: pictures scaled on demand cost memory, the other is its own error page. */
const closedPaths = ["/_next/image", "/_global-error"];

/** What Next's router sends of the page that it shows (`FlightRouterState`). */
const Segment = z.union([
  z.string(),
  z.tuple([
    z.string(),
    z.string(),
    z.string().regex(/^(oc|[cd](i\((\.{1,3}|\.\.\)\(\.\.)\))?)$/),
    z.array(z.string()).nullable(),
  ]),
]);
const RouterState: z.ZodType = z.lazy(() =>
  z.tuple([
    Segment,
    z.record(z.string(), RouterState),
    z.tuple([z.string(), z.string()]).nullish(),
    z.enum(["refetch", "inside-shared-layout", "metadata-only"]).nullish(),
    z.number().nullish(),
    z.string().optional(),
  ]),
);

/**
 * Stops what Next would answer with 500 and a trace before it comes there. Pages are read (GET, HEAD), and there are
 * no server actions.
 * @throws CodedError `invalid_request`, `not_found`, `method_not_allowed`
 */
export function guardPage(incoming: IncomingMessage): void {
  const { headers, method } = incoming;
  const path = decoded(pathOf(incoming.url));
  if (path === null) throw new CodedError("invalid_request", { message: "The path is not valid." });
  if (closedPaths.some((closed) => path === closed || path.startsWith(`${closed}/`)))
    throw new CodedError("not_found");
  if (headers["next-action"] !== undefined) throw new CodedError("not_found");
  if (method !== "GET" && method !== "HEAD")
    throw new CodedError("method_not_allowed", { headers: { allow: "GET, HEAD" } });
  const state = headers["next-router-state-tree"];
  if (state !== undefined && !isRouterState(String(state)))
    throw new CodedError("invalid_request", { message: "The router's state is not valid." });
  for (const name of ignoredHeaders) delete headers[name];
}

/** The path as Next reads it: without detours, decoded; null when it can't be. */
function decoded(path: string): string | null {
  try {
    return decodeURIComponent(normalizedPath(path)).replace(/\/{2,}/g, "/");
  } catch {
    return null;
  }
}

function isRouterState(header: string): boolean {
  try {
    return RouterState.safeParse(JSON.parse(decodeURIComponent(header))).success;
  } catch {
    return false;
  }
}

/** The language that a page's reader has chosen, and those that the browser prefers, best first. */
type Wish = { choice: string | undefined; preferred: readonly string[] };

const wishes = new AsyncLocalStorage<Wish>();
// Next compiles the pages with their own copies of all modules; `app/(demo)/_ui/language.ts` finds this by its name.
Object.assign(globalThis, { [Symbol.for("hivegate.page-wish")]: () => wishes.getStore() });

/** Renders a page while its parts can see in which language its reader wants it. */
export function makePageFor<T>(incoming: IncomingMessage, make: () => T): T {
  return wishes.run(wishOf(incoming), make);
}

/** What a request tells of the language that its reader wants. */
export function wishOf({ headers }: IncomingMessage): Wish {
  return {
    choice: chosenLanguage(headers.cookie),
    preferred: preferredLanguages(headers["accept-language"] ?? ""),
  };
}

/** The language that a reader has chosen for the pages, as the cookies of a request tell it. */
export function chosenLanguage(cookies: string | null | undefined): string | undefined {
  return /(?:^|;\s*)hivegate-language=(\w+)/.exec(cookies ?? "")?.[1];
}

const MOST_LANGUAGES = 20;

/** The tags of an `Accept-Language` header, best first. */
function preferredLanguages(header: string): string[] {
  const ranges = header.split(",", MOST_LANGUAGES).map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { tag, quality: quality ? Number(quality.slice(2)) : 1 };
  });
  return ranges
    .filter(({ tag, quality }) => tag !== "" && tag !== "*" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag);
}
