import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";

const KEPT_MS = 14 * 86_400_000;
/**
 * The name of a record in the served folder: the times (ms) since which files belong only to earlier
 * releases.
 */
const RECORD = "earlier-files.json";
const Replaced = z.record(z.string(), z.number());

/**
 * Copies a release's files into the served folder, and removes a file of earlier releases two weeks after the
 * start of the first release without it. Unchanged files are not written.
 */
export async function keepEarlierAssets({
  release,
  served,
  nowMs = Date.now(),
}: {
  release: string;
  served: string;
  nowMs?: number;
}): Promise<void> {
  const own = new Set(await filesIn(release));
  for (const name of own) await bring(join(release, name), join(served, name));
  const before = await readRecord(join(served, RECORD));
  const after: Record<string, number> = {};
  for (const name of await filesIn(served)) {
    if (own.has(name) || name === RECORD) continue;
    const replacedAtMs = before[name] ?? nowMs;
    if (nowMs - replacedAtMs > KEPT_MS) await rm(join(served, name), { force: true });
    else after[name] = replacedAtMs;
  }
  const record = JSON.stringify(after);
  if (record === JSON.stringify(before)) return;
  await writeWhole(join(served, RECORD), (path) => writeFile(path, record));
}

/** Returns the names of the files below a folder, to which another container may be writing too. */
async function filesIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { recursive: true })).sort();
  const isFile = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name)).catch(() => null))?.isFile() ?? false),
  );
  return names.filter((_name, index) => isFile[index]);
}

/** Copies a file unless it exists; a file of another length comes from an interrupted copy. */
async function bring(from: string, to: string): Promise<void> {
  const [source, present] = await Promise.all([stat(from), stat(to).catch(() => null)]);
  if (present?.size === source.size) return;
  await mkdir(dirname(to), { recursive: true });
  await writeWhole(to, (path) => copyFile(from, path));
}

/**
 * Puts a file in its place once it is complete. Containers often share a process id, so the temporary name is
 * random.
 */
async function writeWhole(path: string, write: (path: string) => Promise<void>): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.tmp`;
  await write(unfinished);
  await rename(unfinished, path);
}

async function readRecord(path: string): Promise<Record<string, number>> {
  try {
    return Replaced.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return {};
  }
}
