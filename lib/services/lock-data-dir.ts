import type Database from "libsql";
import { ConfigError } from "../config.ts";
import { openDatabase } from "../store/open-database.ts";

const held: Database.Database[] = [];

/**
 * Keeps a data folder to this process alone until its end: the lock is a transaction, which the system ends with the
 * process, be it killed.
 * @throws ConfigError when another process has the folder
 */
export function lockDataDir(folder: string): void {
  const lock = openDatabase(folder, "in-use.sqlite");
  try {
    lock.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    held.push(lock);
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code !== "SQLITE_BUSY") throw error;
    const problem = `${folder} is in use by another process: end that one, or name another folder`;
    throw new ConfigError([{ setting: "DATA_DIR", problem }]);
  }
}
