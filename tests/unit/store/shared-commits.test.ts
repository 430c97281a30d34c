import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
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

  it("do not fail with one that SQLite refuses", async () => {
    const refused = { toString: () => "no text" } as unknown as string;
    const [before, bad, changed, after] = await Promise.allSettled([
      store.set("before", "1"),
      store.set("bad", refused),
      store.commit({
        expect: [],
        set: [
          ["left", "1"],
          ["right", refused],
        ],
      }),
      store.setIfAbsent("after", "1"),
    ]);
    expect([before.status, bad.status, changed.status]).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(after).toEqual({ status: "fulfilled", value: true });
    const keys = ["before", "bad", "left", "right", "after"];
    expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(["1", null, null, null, "1"]);
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
