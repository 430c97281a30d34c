import { onLeaving } from "../../_session/person.ts";
import { keepText, readKept } from "../../_ui/kept-text.ts";

const KEY = "hivegate.unpreviewed";
const KEPT_AT_MOST = 200;
const KEPT_FOR_MS = 86_400_000;

const latest = (): [href: string, at: number][] =>
  Object.entries(readKept(KEY) ?? {}).filter(([, at]) => Date.now() - at < KEPT_FOR_MS);

/** Returns whether a link had no preview within the last day, so that no space is reserved for one. */
export const isUnpreviewed = (href: string): boolean => latest().some(([address]) => address === href);

/** Records on this device that a link has no preview. */
export function rememberUnpreviewed(href: string): void {
  const links = [[href, Date.now()], ...latest()].slice(0, KEPT_AT_MOST);
  keepText(KEY, JSON.stringify(Object.fromEntries(links)));
}

onLeaving(() => keepText(KEY, null));
