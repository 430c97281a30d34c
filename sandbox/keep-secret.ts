import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../lib/store/open-database.ts";

const FILE = "session-secret";

/** The sandbox's own session secret: made at the first start, kept in a file that only its owner reads. */
export function keepSecret(dataDir: string): string {
  createFolder(dataDir);
  const path = join(dataDir, FILE);
  try {
    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(path, "utf8");
}
