/** A list of hosts; `includes` returns whether an address belongs to one of them. */
export type HostList = { includes(url: URL): boolean };

/**
 * Parses hosts such as "shop.example", which includes every port, or "shop.example:8443", which includes only
 * that port.
 * @throws TypeError that names the option `name` if the value is not a list of hosts
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

function isHost(text: unknown): boolean {
  return typeof text === "string" && /^[^/\\?#@\s]+$/.test(text) && URL.canParse(`http://${text}/`);
}
