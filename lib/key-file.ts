import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";

const OTHERS = 0o077;
const MAX_BYTES = 200;

/** The form of a key, and the problem of a text in another form. */
export type KeyForm = { pattern: RegExp; problem: string };

/** Thrown for a file without a key in it; `message` is the problem, without the file's content. */
export class KeyFileError extends Error {}

/**
 * Reads a private key from a file that nobody but its owner can read.
 * @throws KeyFileError
 */
export function readKeyFile(path: string, { pattern, problem }: KeyForm): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    throw new KeyFileError(`can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    const stats = fstatSync(file);
    // Windows has no modes.
    if (process.getuid && (stats.mode & OTHERS) !== 0)
      throw new KeyFileError("can be read or changed by other users: chmod 600 the file");
    const key = stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(file, "utf8").trim() : "";
    if (!pattern.test(key)) throw new KeyFileError(problem);
    return key;
  } finally {
    closeSync(file);
  }
}
