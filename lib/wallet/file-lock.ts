import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

const PAUSE_MS = 5;
const MAX_TRIES = 1000;
/** Longer than any work under a lock, in case its holder only seems dead, such as one in another container. */
const BREAK_AFTER_MS = 2000;

/** Tells this process from an earlier one with the same process id, such as 1 in a container. */
const instance = startOf(process.pid) ?? randomUUID();

/**
 * Runs the work while no other process runs work under the same path. The lock of a dead process is broken.
 * @throws Error if another process holds the lock for more than five seconds
 */
export async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, `${process.pid} ${instance}`, { mode: 0o600 });
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
  if (holder === null || isAlive(holder) || !(await isOld(path))) return false;
  // If two processes find the same dead lock, the one that moves a newly taken lock puts it back.
  const taken = `${path}.${randomUUID()}`;
  try {
    await rename(path, taken);
  } catch {
    return false;
  }
  const moved = await readHolder(taken);
  if (moved !== null && moved.text !== holder.text) await take(taken, path);
  await rm(taken, { force: true });
  return true;
}

type Holder = { text: string; pid: number; instance: string };

async function readHolder(path: string): Promise<Holder | null> {
  const text = await readFile(path, "utf8").catch(() => "");
  const [, pid, written = ""] = /^(\d+)(?: ([\w-]+))?$/.exec(text) ?? [];
  return pid === undefined ? null : { text, pid: Number(pid), instance: written };
}

function isAlive(holder: Holder): boolean {
  if (holder.pid === process.pid) return holder.instance === instance;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // Unless the process belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return (startOf(holder.pid) ?? holder.instance) === holder.instance;
}

/** Returns when a process started, in clock ticks since the machine did, or null where the system does not tell. */
function startOf(pid: number): string | null {
  try {
    const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return fields.split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** Returns whether a file was not written just now. */
async function isOld(path: string): Promise<boolean> {
  const written = await stat(path).catch(() => null);
  return written !== null && Math.abs(Date.now() - written.mtimeMs) >= BREAK_AFTER_MS;
}
