/** A list of hosts; `includes` returns whether an address belongs to one of them. */
export type HostList = { includes(url: URL): boolean };

/**
 * Parses hosts such as "shop.example", which includes every port, or "shop.example:8443", which includes only
 * that port.
 * @throws TypeError that names the option `name` if the value is not a list of hosts
 */
export function readHosts(hosts: readonly string[], name: string): HostList {
  const read = Array.isArray(hosts) ? hosts.map(readHost) : [null];
  if (read.includes(null))
    throw new TypeError(`${name} must be a list of hosts such as "shop.example" or "shop.example:8443"`);
  const known = new Set(read);
  return { includes: (url) => namesOfHost(url).some((name) => known.has(name)) };
}

/** Returns a host in the spelling of addresses, with its port if the text names one, or `null` if it is no host. */
export function readHost(text: unknown): string | null {
  if (typeof text !== "string" || !/^[^/\\?#@\s]+$/.test(text)) return null;
  if (!URL.canParse(`http://${text}/`)) return null;
  const [, port] = /:(\d+)$/.exec(text) ?? [];
  const { hostname } = new URL(`http://${text}/`);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}

/** Returns the spellings of an address's host that `readHost` can return, the one with its port first. */
export function namesOfHost({ hostname, protocol, port }: URL): [withPort: string, string] {
  const name = hostname.toLowerCase();
  return [`${name}:${port || (protocol === "https:" ? "443" : "80")}`, name];
}
