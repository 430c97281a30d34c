import { createKeptChoice } from "../../_ui/external-store.ts";

type PreviewChoice = "on" | "off";

/** The user's choice of whether this browser shows link previews. */
export const previews = createKeptChoice<PreviewChoice>("hivegate.previews", "on", "off");

/** Maximum number of links with a preview per message. */
const MOST_PAGES = 2;
const MOST_PICTURES = 10;
/** Maximum length of an address that the gateway previews. */
const LONGEST = 2048;

/**
 * Text whose links get no preview: code is literal, a quotation was shown before, and a Markdown picture
 * shows itself.
 */
const NOT_LOOKED_BEHIND = [
  /(```|~~~)[\s\S]*?(?:\1|$)/g,
  /`[^`\n]{1,2000}`/g,
  /^\s{0,3}>.*$/gm,
  /!\[[^\]\n]{0,500}\]\([^)\n]{0,2100}\)/g,
];
/**
 * A character at which an address in a sentence ends, in any script: marks that end a sentence or a part of it,
 * quotation marks and brackets, typographic dashes and dots, and all Chinese, Japanese and full-width punctuation.
 * Hyphens, and dots and apostrophes inside words, do not. ASCII has its own rules.
 */
export const LINK_END =
  "(?![\\0-\\x7f])[\\p{Terminal_Punctuation}\\p{Quotation_Mark}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}…—―\\u3001-\\u3003\\u3008-\\u3020\\u3030\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65]";
const ADDRESS = new RegExp(`https?://(?:(?!${LINK_END})[^\\s<>"'\`\\\\\\]|])+`, "giu");
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i;
const OTHER_FILE = /\.(?:svg|mp[34]|webm|pdf|zip)$/i;

/** Returns whether an address ends like a picture's. It may still be a page. */
export const mayBePicture = (href: string): boolean => PICTURE.test(new URL(href).pathname);

/** Returns the addresses of other sites in a message that get a preview. */
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

/** Removes what the surrounding sentence or formatting added to an address. */
function trim(address: string): string {
  let depth = 0;
  let end = 0;
  for (; end < address.length && depth >= 0; end++) {
    if (address[end] === "(") depth += 1;
    if (address[end] === ")") depth -= 1;
  }
  return address.slice(0, depth < 0 ? end - 1 : end).replace(/[.,;:!?*_~]+$/, "");
}

/**
 * Returns whether an address looks like a post on the chain, which is previewed even if no other server is.
 */
export const mayBePost = (href: string): boolean =>
  /\/@[a-z][a-z0-9.-]{2,15}\/|[/=][a-z][a-z0-9.-]{2,15}\/[\w-]+$/.test(href);
