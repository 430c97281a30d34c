import { execFileSync } from "node:child_process";

/** Returns the repository's files whose path matches, including those not added yet. */
export function listFiles(path: RegExp): string[] {
  return execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => path.test(file));
}

/** Returns every page that people read. */
export const listPages = () => listFiles(/^[A-Z]+\.md$|^(docs|examples|\.github|lib)\/.*\.md$/);
