import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The repository fields of a `package.json`. */
export type NamesRepository = { repository?: string | { url: string } };

/**
 * Returns the web address of a repository from its https or ssh address for cloning, without user names,
 * passwords and ports.
 * @returns null if others cannot reach that address: a folder, a bare host name, an IP address
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
 * Returns the web address of a checkout's source, or null: the repository in its `package.json`, or the one
 * that it was cloned from.
 */
export function sourceAddressOf(folder: string): string | null {
  const { repository } = JSON.parse(textOf(join(folder, "package.json")) || "{}") as NamesRepository;
  const named = typeof repository === "string" ? repository : repository?.url;
  const config = textOf(join(folder, ".git", "config"));
  const origin = /^\[remote "origin"\]$[^[]*?^\s*url\s*=\s*(\S+)$/m.exec(config)?.[1];
  return webAddressOf(named ?? origin ?? "");
}

/** Returns "" for a missing file, because an image is not a clone. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
