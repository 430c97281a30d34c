import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { examineStore } from "../../../lib/cli/examine-nodes.ts";
import { createFolder, openDatabase } from "../../../lib/store/open-database.ts";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hivegate-private-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const kept = ["hivegate.sqlite", "hivegate.sqlite-wal", "hivegate.sqlite-shm"];
const modesIn = (folder: string) => kept.map((name) => modeOf(join(folder, name)));

describe("files of a SQLite store", () => {
  it("restricts files and new folders to their owner", async () => {
    const folder = join(root, "new", "deeper");
    const store = createSqliteStore({ dataDir: folder });
    await store.set("a", "1");
    expect(modesIn(folder)).toEqual(["600", "600", "600"]);
    expect([modeOf(folder), modeOf(join(root, "new"))]).toEqual(["700", "700"]);
    await store.close();
  });

  it("restricts existing files to their owner when it opens them", async () => {
    const earlier = createSqliteStore({ dataDir: root });
    await earlier.set("a", "1");
    for (const name of kept) chmodSync(join(root, name), 0o644);
    const store = createSqliteStore({ dataDir: root });
    expect(modesIn(root)).toEqual(["600", "600", "600"]);
    expect(await store.get("a")).toBe("1");
    await store.close();
    await earlier.close();
  });

  it("keeps the mode of an existing folder", () => {
    const folder = join(root, "shared");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    openDatabase(folder, "any.sqlite").close();
    expect(modeOf(folder)).toBe("755");
  });

  it("keeps this process's locks when files are opened again", () => {
    const holder = openDatabase(root, "held.sqlite");
    holder.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    const other = openDatabase(root, "held.sqlite");
    expect(() => other.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")).toThrow(/locked/);
    other.close();
    holder.close();
  });
});

describe("creating a folder", () => {
  it("fails in /proc", () => {
    expect(() => createFolder("/proc/hivegate/data")).toThrow(/ENOENT/);
  });

  it("fails below a file", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => createFolder(join(root, "file", "data"))).toThrow(/ENOTDIR/);
  });

  it("is reported by the doctor with a next step if it fails", async () => {
    expect(await examineStore({ kind: "sqlite", dataDir: "/proc/hivegate" })).toEqual([
      expect.objectContaining({ isFine: false, advice: expect.stringContaining("DATA_DIR") }),
    ]);
  });
});
