import { forgetOldest } from "#lib/async/cache.ts";
import { onLeaving } from "../../_session/person.ts";
import { keepText, readKept } from "../../_ui/kept-text.ts";

const KEY = "hivegate.unpreviewed";
const KEPT_AT_MOST = 200;
const KEPT_FOR_MS = 86_400_000;

/** The time at which each link was found to have no preview, oldest first; null until read from this device. */
let links: Map<string, number> | null = null;

function known(): Map<string, number> {
  links ??= new Map(Object.entries(readKept(KEY) ?? {}));
  return links;
}

/** Returns whether a link had no preview within the last day, so that no space is reserved for one. */
export const isUnpreviewed = (href: string): boolean => Date.now() - (known().get(href) ?? 0) < KEPT_FOR_MS;

/** Records on this device that a link has no preview. */
export function rememberUnpreviewed(href: string): void {
  known().delete(href);
  known().set(href, Date.now());
  forgetOldest(known(), KEPT_AT_MOST);
  keepText(KEY, JSON.stringify(Object.fromEntries(known())));
}

onLeaving(() => {
  links = null;
  keepText(KEY, null);
});
