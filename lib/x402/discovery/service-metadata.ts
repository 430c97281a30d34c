const LONGEST_NAME = 32;
const MOST_TAGS = 5;
const LONGEST_ICON = 2048;

export type ServiceMetadata = {
  /** The service's name; up to 32 ASCII characters. */
  serviceName?: string;
  /** The subjects of the service; up to 5 tags of up to 32 ASCII characters. */
  tags?: string[];
  /** The address of its icon, on a host with a name. */
  iconUrl?: string;
};

/** Returns a seller's description of their service; `null` without any. @throws TypeError naming the faulty part */
export function readServiceMetadata({ serviceName, tags, iconUrl }: ServiceMetadata): ServiceMetadata | null {
  const given = { serviceName, tags, iconUrl };
  const clean: Readonly<Record<string, unknown>> = cleanServiceMetadata(given);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && JSON.stringify(clean[name]) !== JSON.stringify(value))
      throw new TypeError(`discoverable.${name} must be ${rules[name as keyof ServiceMetadata]}`);
  return Object.keys(clean).length > 0 ? clean : null;
}

const rules = {
  serviceName: `1 to ${LONGEST_NAME} printable ASCII characters`,
  tags: `1 to ${MOST_TAGS} different texts of 1 to ${LONGEST_NAME} printable ASCII characters`,
  iconUrl: "an http or https address of a named host",
} as const satisfies Record<keyof ServiceMetadata, string>;

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
  // `URL` decodes the host, and turns every spelling of an IPv4 address into four numbers.
  const { protocol, username, password, hostname } = new URL(value);
  const name = hostname.replace(/\.$/, "");
  const isOwn = /^(localhost|localhost\.localdomain|ip6-localhost|ip6-loopback)$/.test(name);
  return (
    /^https?:$/.test(protocol) && username + password === "" && !isOwn && !/^\[|^\d+(?:\.\d+){3}$/.test(name)
  );
}

const isPlain = (text: string) => !/\p{Cc}/u.test(text);
