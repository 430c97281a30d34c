import { BlockList, isIP } from "node:net";
import type { Config } from "../config.ts";
import { log } from "../log.ts";

type Settings = Pick<Config, "sandbox" | "publicUrl" | "isPublicUrlSet">;

const privateNetworks = new BlockList();
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  privateNetworks.addSubnet(network, prefix, "ipv4");
privateNetworks.addAddress("::1", "ipv6");
privateNetworks.addSubnet("fc00::", 7, "ipv6");
privateNetworks.addSubnet("fe80::", 10, "ipv6");

/**
 * Returns whether the host can be reached only from a private network: by a private address, a name without a
 * dot, or a reserved name.
 */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version !== 0) return privateNetworks.check(host, version === 4 ? "ipv4" : "ipv6");
  return !host.includes(".") || /\.(local|localhost|internal|lan|home\.arpa)$/.test(host);
}

/**
 * Returns whether cookies carry `Secure`, which makes browsers drop them on plain http: always, except on the
 * sandbox or if PUBLIC_URL deliberately names plain http on a private network.
 */
export function areCookiesSecure({ sandbox, publicUrl, isPublicUrlSet }: Settings): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return !sandbox && !(isPublicUrlSet && protocol === "http:" && isPrivate(hostname));
}

/** Describes the consequences of plain http for sign-ins, with the next step; null if browsers use https. */
export function plainHttpNote(settings: Settings): string | null {
  const { sandbox, publicUrl, isPublicUrlSet } = settings;
  if (sandbox || new URL(publicUrl).protocol === "https:") return null;
  if (!isPublicUrlSet)
    return "PUBLIC_URL is not set: browsers keep the cookies on https and on localhost alone, and elsewhere nobody stays signed in. Set it to the https address; on a private network the http one will do.";
  if (areCookiesSecure(settings))
    return "PUBLIC_URL is plain http: browsers lose the cookies, and nobody stays signed in. Put TLS in front, and set it to the https address.";
  return "PUBLIC_URL is plain http on a private network: everybody there can read tokens and messages on their way.";
}

/** Warns the operator at startup about plain http. */
export function warnOfPlainHttp(settings: Settings): void {
  const note = plainHttpNote(settings);
  if (note) log().warn(note);
}
