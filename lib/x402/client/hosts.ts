/** Whether an address is of one of some hosts. */
export type HostList = { includes(url: URL): boolean };

/**
 * Reads hosts such as "shop.example", which means every port, or "shop.example:8443", which means that one.
 * @throws TypeError naming the option `name` for what is no list of hosts.
 */
export function readHosts(hosts: readonly string[], name: string): HostList {
  if (!Array.isArray(hosts) || !hosts.every(isHost))
    throw new TypeError(`${name} must be a list of hosts such as "shop.example" or "shop.example:8443"`);
  const known = new Set(hosts.map((host) => host.toLowerCase()));
  return {
    includes({ hostname, protocol, port }) {
      const usual = protocol === "https:" ? "443" : "80";
      return known.has(hostname) || known.has(`${hostname}:${port || usual}`);
    },
  };
}

/** Returns whether two addresses are of one site: the same host and port, whether or not a proxy took the TLS off. */
export function isSameSite(one: URL, other: URL): boolean {
  return one.host === other.host;
}

function isHost(text: unknown): boolean {
  return typeof text === "string" && /^[^/\\?#@\s]+$/.test(text) && URL.canParse(`http://${text}/`);
}
