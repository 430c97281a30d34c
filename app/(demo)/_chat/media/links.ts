import { createKeptChoice } from "../../_ui/external-store.ts";

type PreviewChoice = "on" | "off";

/** Whether links are looked behind in this browser. */
export const previews = createKeptChoice<PreviewChoice>("hivegate.previews", "on", "off");

/** Maximum numbers in one message. */
const MOST_PAGES = 2;
const MOST_PICTURES = 10;
/** The gateway looks behind no longer one. */
const LONGEST = 2048;

/** Code says what it says, a quotation was shown before, and a picture in Markdown shows itself. */
const NOT_LOOKED_BEHIND = [
  /(```|~~~)[\s\S]*?(?:\1|$)/g,
  /`[^`\n]{1,2000}`/g,
  /^\s{0,3}>.*$/gm,
  /!\[[^\]\n]{0,500}\]\([^)\n]{0,2100}\)/g,
];
/**
 * The marks at which an address in a sentence ends, for a class of a regular expression: typographic quotation marks,
 * dashes and dots, and the full-width marks of Chinese and Japanese, which no space separates from the address.
 */
export const LINK_ENDS =
  "‘’‚‛“”„‟‹›«»…—―\\u3001-\\u3003\\u3008-\\u3020\\u3030\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65";
const ADDRESS = new RegExp(`https?://[^\\s<>"'\`\\\\\\]|${LINK_ENDS}]+`, "gi");
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i;
const OTHER_FILE = /\.(?:svg|mp[34]|webm|pdf|zip)$/i;

/** Whether an address ends as those of pictures do; what is there may be a page all the same. */
export const mayBePicture = (href: string): boolean => PICTURE.test(new URL(href).pathname);

/** The addresses of other sites that a message links to, those that are shown a preview of. */
export function linksIn(text: string, origin: string): string[] {
  if (!/https?:\/\//i.test(text)) return [];
  const words = NOT_LOOKED_BEHIND.reduce((left, form) => left.replace(form, " "), text);
  const pages = new Set<string>();
  const pictures = new Set<string>();
  for (const [address] of words.matchAll(ADDRESS)) {
    const trimmed = trim(address);
    if (trimmed.length > LONGEST || !URL.canParse(trimmed)) continue;
    const { origin: site, hostname, pathname, href } = new URL(trimmed);
    if (site === origin || !hostname.includes(".") || OTHER_FILE.test(pathname)) continue;
    (mayBePicture(href) ? pictures : pages).add(href);
  }
  return [...[...pictures].slice(0, MOST_PICTURES), ...[...pages].slice(0, MOST_PAGES)];
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
