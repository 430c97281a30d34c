import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a `package.json` tells of its repository. */
export type NamesRepository = { repository?: string | { url: string } };

/**
 * The web address of a repository, made of an address that it can be cloned from, by https or ssh; user names, passwords
 * and ports are left out.
 * @returns null where nobody else can reach that address: a folder, a lone host name, an IP address.
 */
export function webAddressOf(origin: string): string | null {
  const asUrl = origin.trim().replace(/^(?:[\w.-]+@)?([\w.-]+):(?!\/)/, "ssh://$1/");
  if (!URL.canParse(asUrl)) return null;
  const { protocol, hostname, pathname } = new URL(asUrl);
  const path = pathname.replace(/\/+$/, "").replace(/\.git$/, "");
  if (!/^(https|ssh|git\+ssh|git\+https):$/.test(protocol) || path === "") return null;
  if (!/\.[a-z][a-z0-9-]*$/i.test(hostname) || /\.(local|internal|localhost)$/i.test(hostname)) return null;
  return `https://${hostname}${path}`;
}

/**
 * The web address of a checkout's source: the repository that its `package.json` names, or else the one that it was
 * cloned from.
 */
export function sourceAddressOf(folder: string): string | null {
  const { repository } = JSON.parse(textOf(join(folder, "package.json")) || "{}") as NamesRepository;
  const named = typeof repository === "string" ? repository : repository?.url;
  const config = textOf(join(folder, ".git", "config"));
  const origin = /^\[remote "origin"\]$[^[]*?^\s*url\s*=\s*(\S+)$/m.exec(config)?.[1];
  return webAddressOf(named ?? origin ?? "");
}

/** "" for a file that is not there: an image is no clone. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
