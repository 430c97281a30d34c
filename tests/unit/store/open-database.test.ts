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

describe("the files of a SQLite store", () => {
  it("are for their owner alone, and so is each folder that is created for them", async () => {
    const folder = join(root, "new", "deeper");
    const store = createSqliteStore({ dataDir: folder });
    await store.set("a", "1");
    expect(modesIn(folder)).toEqual(["600", "600", "600"]);
    expect([modeOf(folder), modeOf(join(root, "new"))]).toEqual(["700", "700"]);
    await store.close();
  });

  it("that others could read are made their owner's alone when they are opened", async () => {
    const earlier = createSqliteStore({ dataDir: root });
    await earlier.set("a", "1");
    for (const name of kept) chmodSync(join(root, name), 0o644);
    const store = createSqliteStore({ dataDir: root });
    expect(modesIn(root)).toEqual(["600", "600", "600"]);
    expect(await store.get("a")).toBe("1");
    await store.close();
    await earlier.close();
  });

  it("leave the mode of a folder that was there", () => {
    const folder = join(root, "shared");
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    openDatabase(folder, "any.sqlite").close();
    expect(modeOf(folder)).toBe("755");
  });

  it("keep the locks that this process holds on them when they are opened once more", () => {
    const holder = openDatabase(root, "held.sqlite");
    holder.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    const other = openDatabase(root, "held.sqlite");
    expect(() => other.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")).toThrow(/locked/);
    other.close();
    holder.close();
  });
});

describe("a folder that can't be created", () => {
  it("in /proc is an error at once", () => {
    expect(() => createFolder("/proc/hivegate/data")).toThrow(/ENOENT/);
  });

  it("below a file is an error", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => createFolder(join(root, "file", "data"))).toThrow(/ENOTDIR/);
  });

  it("is a finding of the doctor, with what to do", async () => {
    expect(await examineStore({ kind: "sqlite", dataDir: "/proc/hivegate" })).toEqual([
      expect.objectContaining({ isFine: false, advice: expect.stringContaining("DATA_DIR") }),
    ]);
  });
});
