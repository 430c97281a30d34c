import { isIP } from "node:net";

const LONGEST_NAME = 32;
const MOST_TAGS = 5;
const LONGEST_ICON = 2048;

type ServiceMetadata = { serviceName?: string; tags?: string[]; iconUrl?: string };

/** Returns the parts of a service's description that meet the protocol's rules. */
export function cleanServiceMetadata(given: {
  serviceName?: unknown;
  tags?: unknown;
  iconUrl?: unknown;
}): ServiceMetadata {
  const tags = cleanTags(given.tags);
  return {
    ...(isName(given.serviceName) && { serviceName: given.serviceName }),
    ...(tags.length > 0 && { tags }),
    ...(isIconAddress(given.iconUrl) && { iconUrl: given.iconUrl }),
  };
}

const isName = (value: unknown): value is string =>
  typeof value === "string" && value.length <= LONGEST_NAME && /^[\x20-\x7e]+$/.test(value);

function cleanTags(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const tags = new Map<string, string>();
  for (const tag of value.slice(0, 100).filter(isName))
    if (!tags.has(tag.toLowerCase())) tags.set(tag.toLowerCase(), tag);
  return [...tags.values()].slice(0, MOST_TAGS);
}

/** A public web address by name, because catalogues show the picture to their readers. */
function isIconAddress(value: unknown): value is string {
  if (typeof value !== "string" || value.length > LONGEST_ICON || !isPlain(value)) return false;
  if (!URL.canParse(value)) return false;
  // `URL` decodes the host, and turns every spelling of an IPv4 address into the usual one.
  const { protocol, username, password, hostname } = new URL(value);
  const name = hostname.replace(/\.$/, "");
  const isOwn = /^(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/.test(name);
  return (
    /^https?:$/.test(protocol) &&
    username + password === "" &&
    !isOwn &&
    isIP(name.replace(/^\[(.*)\]$/, "$1")) === 0
  );
}

const isPlain = (text: string) => !/\p{Cc}/u.test(text);
