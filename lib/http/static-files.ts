import { existsSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Returns the paths of all files that a built app serves statically. */
export function staticFilesOf(folder: string): ReadonlySet<string> {
  return new Set([
    ...filesIn(join(folder, "public"), "/"),
    ...filesIn(join(folder, ".next", "static"), "/_next/static/"),
  ]);
}

function filesIn(folder: string, prefix: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = relative(folder, join(entry.parentPath, entry.name));
    return [prefix + path.split(sep).map(encodeURIComponent).join("/")];
  });
}
