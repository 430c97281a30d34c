import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "libsql";

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** What SQLite keeps beside its file; new ones take the file's own mode. */
const companions = ["", "-wal", "-shm", "-journal"];

/**
 * Opens the SQLite file `name` in `folder`, which are created where they are missing: the folder for its owner alone
 * (0700), and the file with all that SQLite keeps beside it readable by its owner alone (0600), also when it was not.
 * @throws the error of the file system, or of SQLite
 */
export function openDatabase(folder: string, name: string): Database.Database {
  createFolder(folder);
  const path = join(folder, name);
  createFile(path);
  for (const companion of companions) keepPrivate(path + companion);
  return new Database(path);
}

/**
 * Creates a folder, and those above it that are missing, for its owner alone. Node's own recursive `mkdir` never returns
 * where a folder can't be created in one that exists, as in /proc.
 * @throws the error of the file system
 */
export function createFolder(folder: string): void {
  const path = resolve(folder);
  if (existsSync(path)) return;
  createFolder(dirname(path));
  unless("EEXIST", () => mkdirSync(path, OWNER_ONLY_FOLDER));
}

/** Opens no file that exists: closing it again would end the locks that SQLite holds on it in this process. */
function createFile(path: string): void {
  unless("EEXIST", () => closeSync(openSync(path, "wx", OWNER_ONLY_FILE)));
}

/** A file of another owner, who shares it, keeps its mode. */
function keepPrivate(path: string): void {
  if (existsSync(path)) unless("EPERM", () => unless("ENOENT", () => chmodSync(path, OWNER_ONLY_FILE)));
}

function unless(code: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}
