import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSqliteStore } from "../../../lib/store/sqlite-store.ts";
import { readBlocks } from "../../harness/read-blocks.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "backup-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the backup command of operations.md can be repeated and copies later writes", async () => {
  const command = readBlocks("docs/operations.md").find(({ text }) => text.includes("VACUUM INTO"))?.text;
  const backUp = () => execFileSync("sh", ["-euc", command ?? ""], { cwd: folder, stdio: "pipe" });
  const store = createSqliteStore({ dataDir: join(folder, ".data") });
  await store.set("first", "1");
  backUp();
  await store.set("second", "2");
  backUp();
  await store.close();
  expect(readdirSync(join(folder, "backup"))).toEqual(["hivegate.sqlite"]);
  expect(statSync(join(folder, "backup/hivegate.sqlite")).mode & 0o777).toBe(0o600);
  const copy = createSqliteStore({ dataDir: join(folder, "backup") });
  expect([await copy.get("first"), await copy.get("second")]).toEqual(["1", "2"]);
  await copy.close();
});
