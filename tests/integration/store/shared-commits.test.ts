import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSharedCommits } from "../../../lib/store/shared-commits.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_BYTES = 4096;

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hivegate-commits-"));
  store = createSqliteStore({ dataDir: folder });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the number of commits in SQLite's write-ahead log: frames that name the size of the database. */
function countCommits(): number {
  const log = readFileSync(join(folder, "hivegate.sqlite-wal"));
  let count = 0;
  for (let at = WAL_HEADER_BYTES; at < log.length; at += FRAME_HEADER_BYTES + PAGE_BYTES)
    if (log.readUInt32BE(at + 4) !== 0) count++;
  return count;
}

describe("writes to SQLite at the same time", () => {
  it("share one commit", async () => {
    await store.set("before", "1");
    const before = countCommits();
    await Promise.all([
      store.set("a", "1"),
      store.setIfAbsent("b", "1", 4),
      store.commit({ expect: [["a", "1"]], set: [["c", "1"]], scores: [["due", "c", 1]] }),
      store.replace("c", "1", "2"),
      store.delete("b"),
      store.ping(),
    ]);
    expect(countCommits()).toBe(before + 1);
    expect(await Promise.all(["a", "b", "c"].map((key) => store.get(key)))).toEqual(["1", null, "2"]);
    expect(await store.range("due", 1, 10)).toEqual(["c"]);
  });

  it("see each other in their order", async () => {
    const answers = await Promise.all([
      store.setIfAbsent("a", "first"),
      store.setIfAbsent("a", "second"),
      store.commit({ expect: [["a", "second"]], set: [["b", "1"]] }),
      store.get("a"),
      store.deleteIf("a", "first"),
      store.list("", 10),
    ]);
    expect(answers).toEqual([true, false, false, "first", true, []]);
  });

  it("are all undone if SQLite refuses one of them, while reads are answered", async () => {
    await store.set("before", "1");
    const refused = { toString: () => "no text" } as unknown as string;
    const [one, bad, read, changed] = await Promise.allSettled([
      store.set("one", "1"),
      store.set("bad", refused),
      store.get("before"),
      store.commit({ expect: [], set: [["left", "1"]] }),
    ]);
    for (const { status } of [one, bad, changed]) expect(status).toBe("rejected");
    expect(read).toEqual({ status: "fulfilled", value: "1" });
    for (const key of ["one", "bad", "left"]) expect(await store.get(key)).toBeNull();
    expect(await store.setIfAbsent("one", "1")).toBe(true);
  });

  it("are stored by a store that closes at once", async () => {
    const written = [store.set("a", "1"), store.commit({ expect: [], set: [["b", "1"]] })];
    await store.close();
    await Promise.all(written);
    store = createSqliteStore({ dataDir: folder });
    expect([await store.get("a"), await store.get("b")]).toEqual(["1", "1"]);
  });

  it("reject with degraded if the store was closed before them", async () => {
    await store.close();
    for (const write of [store.set("a", "1"), store.ping(), store.commit({ expect: [] })])
      await expect(write).rejects.toMatchObject({ code: "degraded" });
    store = createSqliteStore({ dataDir: folder });
    expect(await store.get("a")).toBeNull();
  });
});

describe("a transaction of several writes", () => {
  const FULL = 2;
  const NORMAL = 1;
  const LOCK_WAIT_MS = 200;
  let database: Database.Database;
  /** The calls of `exec`, each COMMIT with the level of `PRAGMA synchronous` at that time. */
  let calls: string[];
  /** The calls of `exec` that fail the next time. */
  let failing: Set<string>;
  beforeEach(() => {
    database = new Database(join(folder, "own.sqlite"));
    database.exec(
      `PRAGMA journal_mode = WAL; PRAGMA busy_timeout = ${LOCK_WAIT_MS}; CREATE TABLE rows (name TEXT);`,
    );
    calls = [];
    failing = new Set();
    const exec = database.exec.bind(database);
    database.exec = (sql: string) => {
      if (failing.delete(sql)) throw new Error(`disk I/O error at ${sql}`);
      calls.push(sql === "COMMIT" ? `COMMIT at ${levelOf()}` : sql);
      return exec(sql);
    };
  });
  afterEach(() => database.close());

  const levelOf = () => (database.pragma("synchronous") as Array<{ synchronous: number }>)[0]?.synchronous;
  const add = (name: string) => () => void database.prepare("INSERT INTO rows (name) VALUES (?)").run(name);
  const count = () =>
    (database.prepare("SELECT count(*) AS count FROM rows").get() as { count: number }).count;
  const commitsSeen = () => calls.filter((call) => call.startsWith("COMMIT"));

  it("waits for the disk unless all of them are fleeting", async () => {
    const { write, read } = createSharedCommits(database);
    await write(add("lease"), "fleeting");
    await Promise.all([write(add("lease"), "fleeting"), write(add("payment"))]);
    await Promise.all([write(add("lease"), "fleeting"), read(count)]);
    await write(add("payment"));
    expect(commitsSeen()).toEqual([NORMAL, FULL, NORMAL, FULL].map((level) => `COMMIT at ${level}`));
  });

  it("is refused rather than written without waiting for the disk", async () => {
    const { write } = createSharedCommits(database);
    await write(add("lease"), "fleeting");
    failing.add("PRAGMA synchronous = FULL");
    await expect(write(add("payment"))).rejects.toThrow("disk I/O");
    await write(add("payment"));
    expect(commitsSeen()).toEqual([`COMMIT at ${NORMAL}`, `COMMIT at ${FULL}`]);
    expect(count()).toBe(2);
  });

  it("rejects all of them, and answers reads, if the disk refuses it", async () => {
    const { write, read } = createSharedCommits(database);
    failing.add("COMMIT");
    const [one, other, seen] = await Promise.allSettled([
      write(add("one")),
      write(add("other")),
      read(count),
    ]);
    expect([one.status, other.status]).toEqual(["rejected", "rejected"]);
    expect(seen).toEqual({ status: "fulfilled", value: 0 });
    expect(count()).toBe(0);
  });

  it("shows no read what it could not undo, and is undone before the next one", async () => {
    const { write, read } = createSharedCommits(database);
    failing.add("COMMIT").add("ROLLBACK");
    await expect(write(add("refused"))).rejects.toThrow("COMMIT");
    expect(await read(count)).toBe(0);
    await write(add("accepted"));
    expect(await read(count)).toBe(1);
  });

  it("waits once for a lock of another process, which stops no read", async () => {
    const { write, read } = createSharedCommits(database);
    const other = new Database(join(folder, "own.sqlite"));
    other.exec("BEGIN IMMEDIATE");
    const answers = await Promise.allSettled([
      ...Array.from({ length: 10 }, () => write(add("late"))),
      read(count),
    ]);
    other.exec("ROLLBACK");
    other.close();
    expect(calls.filter((call) => call === "BEGIN IMMEDIATE")).toHaveLength(1);
    expect(answers.slice(0, 10).every(({ status }) => status === "rejected")).toBe(true);
    expect(answers[10]).toEqual({ status: "fulfilled", value: 0 });
  });

  it("leaves what exceeds a thousand writes to the next one", async () => {
    const { write } = createSharedCommits(database);
    await Promise.all(Array.from({ length: 2500 }, () => write(add("one of many"))));
    expect(commitsSeen()).toHaveLength(3);
    expect(count()).toBe(2500);
  });
});
