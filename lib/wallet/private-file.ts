import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { WalletError } from "./wallet-error.ts";

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** The access that a file denies to everyone but its owner: reading and writing, or only writing. */
export type Guarded = "from readers" | "from writers";

/**
 * Reads one of the owner's files, or returns `null` if there is none.
 * @throws WalletError for a file that others can read or write, that belongs to another user, or that is too
 * long
 */
export async function readPrivateFile(
  path: string,
  guarded: Guarded,
  maxBytes: number,
): Promise<string | null> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new WalletError(`${path} can't be read.`, { cause: error });
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new WalletError(`${path} is no file.`);
    // Windows has neither user ids nor modes.
    if (process.getuid && stats.uid !== process.getuid())
      throw new WalletError(`${path} belongs to another user.`);
    if (process.getuid && (stats.mode & (guarded === "from readers" ? OTHERS : OTHERS_WRITE)) !== 0)
      throw new WalletError(
        `Other users may ${guarded === "from readers" ? "read" : "change"} ${path}. Take that from them: chmod 600 ${path}`,
      );
    if (stats.size > maxBytes) throw new WalletError(`${path} is longer than ${maxBytes} bytes.`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

/** Writes a file that only its owner can read, either whole or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
