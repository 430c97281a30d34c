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

/** Whether only a private network knows the host: by its address, as a name without a dot, or by a name kept for that. */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const version = isIP(host);
  if (version !== 0) return privateNetworks.check(host, version === 4 ? "ipv4" : "ipv6");
  return !host.includes(".") || /\.(local|localhost|internal|lan|home\.arpa)$/.test(host);
}

/**
 * Whether cookies carry `Secure`, with which browsers lose them on plain http: everywhere but on the sandbox, and where
 * PUBLIC_URL names plain http on a private network, which is a choice.
 */
export function areCookiesSecure({ sandbox, publicUrl, isPublicUrlSet }: Settings): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return !sandbox && !(isPublicUrlSet && protocol === "http:" && isPrivate(hostname));
}

/** What plain http means for those who sign in, with the next step; null where browsers come by https. */
export function plainHttpNote(settings: Settings): string | null {
  const { sandbox, publicUrl, isPublicUrlSet } = settings;
  if (sandbox || new URL(publicUrl).protocol === "https:") return null;
  if (!isPublicUrlSet)
    return "PUBLIC_URL is not set: browsers keep the cookies on https and on localhost alone, and elsewhere nobody stays signed in. Set it to the https address; on a private network the http one will do.";
  if (areCookiesSecure(settings))
    return "PUBLIC_URL is plain http: browsers lose the cookies, and nobody stays signed in. Put TLS in front, and set it to the https address.";
  return "PUBLIC_URL is plain http on a private network: everybody there can read tokens and messages on their way.";
}

/** Tells the operator, at the start, what plain http means. */
export function warnOfPlainHttp(settings: Settings): void {
  const note = plainHttpNote(settings);
  if (note) log().warn(note);
}
