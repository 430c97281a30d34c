import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { processWide } from "../async/process-wide.ts";

/** The language that a page's reader has chosen, and those that the browser prefers, best first. */
type Wish = { choice: string | undefined; preferred: readonly string[] };

const wishes = processWide("page-wishes", () => new AsyncLocalStorage<Wish>());
// Next compiles the pages with their own copies of all modules, so `app/(demo)/_ui/language.ts` finds this by
// name.
Object.assign(globalThis, { [Symbol.for("hivegate.page-wish")]: () => wishes.getStore() });

/** Renders a page and lets its parts see the language that its reader wants. */
export function makePageFor<T>(incoming: IncomingMessage, make: () => T): T {
  return wishes.run(wishOf(incoming), make);
}

/**
 * Lets the rest of the current asynchronous context see the language that the request's reader wants, for
 * pages that Next renders itself.
 */
export function expectPageFor(incoming: IncomingMessage): void {
  wishes.enterWith(wishOf(incoming));
}

/** Reads the language that a request's reader wants. */
export const wishOf = ({ headers }: IncomingMessage): Wish => ({
  choice: chosenLanguage(headers.cookie),
  preferred: preferredLanguages(headers["accept-language"] ?? ""),
});

/** Returns the language that a reader has chosen for the pages, from a request's cookies. */
export function chosenLanguage(cookies: string | null | undefined): string | undefined {
  return /(?:^|;\s*)hivegate-language=(\w+)/.exec(cookies ?? "")?.[1];
}

const MOST_LANGUAGES = 20;

/** Returns the tags of an `Accept-Language` header, best first. */
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
