import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const PAUSE_MS = 5;
const MAX_TRIES = 1000;

/**
 * Runs the work while no other process runs work under the same path. The lock of a dead process is broken.
 * @throws Error if another process holds the lock for more than five seconds
 */
export async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, String(process.pid), { mode: 0o600 });
  try {
    for (let tries = 0; !(await take(own, path)); tries++) {
      if (tries >= MAX_TRIES) throw new Error("another process has locked the wallet");
      if (!(await breakDead(path))) await setTimeout(PAUSE_MS);
    }
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  } finally {
    await rm(own, { force: true });
  }
}

/**
 * Takes the lock by a link, which appears together with its content, unlike a file that is created and then
 * written.
 */
async function take(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes the lock of a dead process. Returns whether it did. */
async function breakDead(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  if (holder === null || isAlive(holder)) return false;
  // If two processes find the same dead lock, the one that moves a newly taken lock puts it back.
  const taken = `${path}.${randomUUID()}`;
  try {
    await rename(path, taken);
  } catch {
    return false;
  }
  const moved = await readHolder(taken);
  if (moved !== null && moved !== holder) await take(taken, path);
  await rm(taken, { force: true });
  return true;
}

async function readHolder(path: string): Promise<number | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  return /^\d+$/.test(text) ? Number(text) : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
