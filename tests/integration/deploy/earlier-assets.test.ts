import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepEarlierAssets } from "#lib/services/earlier-assets.ts";
import { startCommand } from "../../harness/start-command.ts";

const DAY_MS = 86_400_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const at = (days: number) => start + days * DAY_MS;

let folder: string;
let served: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earlier-assets-"));
  served = join(folder, "served");
  mkdirSync(served);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a release's folder with files that contain their own names. */
function release(name: string, files: readonly string[]): string {
  for (const file of files) {
    const path = join(folder, name, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file);
  }
  return join(folder, name);
}
const has = (file: string) => existsSync(join(served, file));

test("files of earlier releases stay for two weeks after their replacement", async () => {
  const first = release("first", ["chunks/old.js", "chunks/both.js"]);
  const second = release("second", ["chunks/both.js", "chunks/new.js"]);
  await keepEarlierAssets({ release: first, served, nowMs: at(0) });
  await keepEarlierAssets({ release: second, served, nowMs: at(100) });
  await keepEarlierAssets({ release: second, served, nowMs: at(114) });
  expect(["old", "both", "new"].map((name) => has(`chunks/${name}.js`))).toEqual([true, true, true]);
  await keepEarlierAssets({ release: second, served, nowMs: at(114) + 1 });
  expect(["old", "both", "new"].map((name) => has(`chunks/${name}.js`))).toEqual([false, true, true]);
});

test("files of a restored release stay", async () => {
  const first = release("first", ["a.js"]);
  const second = release("second", ["b.js"]);
  await keepEarlierAssets({ release: first, served, nowMs: at(0) });
  await keepEarlierAssets({ release: second, served, nowMs: at(1) });
  await keepEarlierAssets({ release: first, served, nowMs: at(2) });
  await keepEarlierAssets({ release: first, served, nowMs: at(15.5) });
  expect([has("a.js"), has("b.js")]).toEqual([true, true]);
  await keepEarlierAssets({ release: first, served, nowMs: at(17) });
  expect([has("a.js"), has("b.js")]).toEqual([true, false]);
  await keepEarlierAssets({ release: second, served, nowMs: at(18) });
  expect(readFileSync(join(served, "b.js"), "utf8")).toBe("b.js");
});

test("an interrupted copy is repeated and leaves no partial file", async () => {
  const first = release("first", ["a.js"]);
  writeFileSync(join(served, "a.js"), "a.");
  await keepEarlierAssets({ release: first, served, nowMs: at(0) });
  expect(readFileSync(join(served, "a.js"), "utf8")).toBe("a.js");
  expect(readdirSync(served)).toEqual(["a.js"]);
});

test("restarting the same release adds no files", async () => {
  const first = release("first", ["chunks/a.js"]);
  await keepEarlierAssets({ release: first, served, nowMs: at(0) });
  const before = [served, join(served, "chunks")].map((path) => statSync(path).mtimeMs);
  await keepEarlierAssets({ release: first, served, nowMs: at(1) });
  expect([served, join(served, "chunks")].map((path) => statSync(path).mtimeMs)).toEqual(before);
});

test("an unreadable record only delays the deletion of earlier files", async () => {
  const first = release("first", ["a.js"]);
  const second = release("second", ["b.js"]);
  await keepEarlierAssets({ release: first, served, nowMs: at(0) });
  await keepEarlierAssets({ release: second, served, nowMs: at(1) });
  for (const broken of ["{", '{"a.js":"soon"}']) {
    writeFileSync(join(served, "earlier-files.json"), broken);
    await keepEarlierAssets({ release: second, served, nowMs: at(20) });
    expect(has("a.js")).toBe(true);
  }
  await keepEarlierAssets({ release: second, served, nowMs: at(35) });
  expect(has("a.js")).toBe(false);
});

test("releases that start at the same time leave all files complete", async () => {
  const files = (name: string) => Array.from({ length: 40 }, (_, index) => `chunks/${name}${index}.js`);
  const releases = ["first", "second"].map((name) => release(name, ["both.js", ...files(name)]));
  await Promise.all(
    [...releases, ...releases].map((folder) => keepEarlierAssets({ release: folder, served })),
  );
  for (const file of ["both.js", ...files("first"), ...files("second")])
    expect(readFileSync(join(served, file), "utf8")).toBe(file);
  expect(readdirSync(served, { recursive: true }).filter((name) => String(name).endsWith(".tmp"))).toEqual(
    [],
  );
});

test("the command reports a volume that it cannot write to, and exits with status 1", async () => {
  const first = release("first", ["chunks/a.js"]);
  writeFileSync(join(served, "chunks"), "no folder");
  const command = ["--import", "tsx", "lib/cli/keep-assets.ts", first, served];
  const ended = await startCommand(process.execPath, command, { settings: {} });
  expect(ended).toMatchObject({ code: 1, output: expect.stringContaining("The volume needs free space") });
});
