import { BlockList, isIP } from "node:net";

/** IPv4 ranges outside the public internet, and the metadata service of clouds (the last). */
const closed4: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["168.63.129.16", 32],
];

/** The only public range of IPv6. The ranges below are within it and contain tunnels to IPv4 and examples. */
const open6 = ["2000::", 3] as const;
const closed6: ReadonlyArray<readonly [network: string, prefix: number]> = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closed = new BlockList();
for (const [network, prefix] of closed4) closed.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of closed6) closed.addSubnet(network, prefix, "ipv6");
const global6 = new BlockList();
global6.addSubnet(...open6, "ipv6");

/** Returns true if an IP address is on the public internet. IPv4 inside IPv6 is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return global6.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/** Names that networks use for their own machines. */
const ownName = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

const LONGEST_ADDRESS = 2048;

/**
 * Returns true if the list exempts a non-public address: by `host:port`, or by the host alone for any port.
 */
export function isExempt({ protocol, hostname, port }: URL, privateHosts: readonly string[]): boolean {
  const usualPort = protocol === "https:" ? "443" : "80";
  return privateHosts.includes(`${hostname}:${port || usualPort}`) || privateHosts.includes(hostname);
}

/**
 * Parses the address of an outside page or picture if it is safe to fetch: http or https on the usual port,
 * without a password, at a public name or address. An exempt address counts as safe. Returns null for any
 * other address.
 */
export function readOutsideAddress(text: string, privateHosts: readonly string[]): URL | null {
  if (text.length > LONGEST_ADDRESS || !URL.canParse(text)) return null;
  const url = new URL(text);
  url.hash = "";
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || url.username !== "" || url.password !== "") return null;
  if (isExempt(url, privateHosts)) return url;
  const name = url.hostname.replace(/\.$/, "").replace(/^\[(.*)\]$/, "$1");
  if (url.port !== "") return null;
  if (isIP(name) !== 0) return isPublicAddress(name) ? url : null;
  return name.includes(".") && !ownName.test(name) ? url : null;
}
