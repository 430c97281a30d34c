import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { ConfigError } from "../config.ts";

const OTHERS = 0o077;
const MAX_BYTES = 200;
const WIF = /^5[1-9A-HJ-NP-Za-km-z]{50}$/;

/**
 * Reads a private key in WIF from a file that nobody but its owner can read.
 * @throws ConfigError that names the setting and the problem, but not the file's content
 */
export async function readKeyFile(setting: string, path: string): Promise<string> {
  const fault = (problem: string) => new ConfigError([{ setting, problem }], false);
  const file = await open(path, constants.O_RDONLY).catch((error: NodeJS.ErrnoException) => {
    throw fault(`can't be read (${error.code})`);
  });
  try {
    const { mode, size } = await file.stat();
    // Windows has no modes.
    if (process.getuid && (mode & OTHERS) !== 0)
      throw fault("can be read or changed by other users: chmod 600 the file");
    const key = size > MAX_BYTES ? "" : (await file.readFile("utf8")).trim();
    if (!WIF.test(key)) throw fault("must hold a private active key: 51 characters, starting with 5");
    return key;
  } finally {
    await file.close();
  }
}
