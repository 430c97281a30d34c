import { createKeptChoice } from "../../_ui/external-store.ts";

type PreviewChoice = "on" | "off";

/** Whether links are looked behind in this browser. */
export const previews = createKeptChoice<PreviewChoice>("hivegate.previews", "on", "off");

/** Maximum number of previews in one message. */
const MOST_LINKS = 2;
/** The gateway looks behind no longer one. */
const LONGEST = 2048;

/** Code says what it says, a quotation was shown before, and a picture shows itself. */
const NOT_LOOKED_BEHIND = [
  /(```|~~~)[\s\S]*?(?:\1|$)/g,
  /`[^`\n]{1,2000}`/g,
  /^\s{0,3}>.*$/gm,
  /!\[[^\]\n]{0,500}\]\([^)\n]{0,2100}\)/g,
];
const ADDRESS = /https?:\/\/[^\s<>"'`\\\]|]+/gi;
const FILE = /\.(?:png|jpe?g|gif|webp|avif|svg|mp[34]|webm|pdf|zip)$/i;

/** The addresses of other sites that a message links to, those that are shown a preview of. */
export function linksIn(text: string, origin: string): string[] {
  if (!/https?:\/\//i.test(text)) return [];
  const words = NOT_LOOKED_BEHIND.reduce((left, form) => left.replace(form, " "), text);
  const found = new Set<string>();
  for (const [address] of words.matchAll(ADDRESS)) {
    const trimmed = trim(address);
    if (trimmed.length > LONGEST || !URL.canParse(trimmed)) continue;
    const url = new URL(trimmed);
    if (url.origin !== origin && url.hostname.includes(".") && !FILE.test(url.pathname)) found.add(url.href);
    if (found.size === MOST_LINKS) break;
  }
  return [...found];
}

/** Without what the sentence or the formatting around it put behind it. */
function trim(address: string): string {
  let depth = 0;
  let end = 0;
  for (; end < address.length && depth >= 0; end++) {
    if (address[end] === "(") depth += 1;
    if (address[end] === ")") depth -= 1;
  }
  return address.slice(0, depth < 0 ? end - 1 : end).replace(/[.,;:!?*_~]+$/, "");
}

/** Whether an address has the form of a post on the chain, which is shown also where no other server is asked. */
export const mayBePost = (href: string): boolean =>
  /\/@[a-z][a-z0-9.-]{2,15}\/|[/=][a-z][a-z0-9.-]{2,15}\/[\w-]+$/.test(href);
