import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const DAY_SECONDS = 86_400;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hivegate-upgrade-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writeDaysAgo(path: string, days: number): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  const time = Date.now() / 1000 - days * DAY_SECONDS;
  utimesSync(file, time, time);
}

/** Returns the lines of the documented upgrade that copy files, for a release in the test's folder. */
function recipe(): string {
  const lines = readFileSync("docs/operations.md", "utf8")
    .split("\n")
    .filter((line) => /^ +(find|cp) /.test(line) && line.includes(".next/static"));
  return lines
    .join("\n")
    .replace(/ &&\s*$/, "")
    .replaceAll("/opt/hivegate", join(folder, "hivegate"));
}

test("the upgrade keeps the running release's files of any age, and drops those replaced a month ago", async () => {
  writeDaysAgo("hivegate-1/node_modules/.package-lock.json", 30.1);
  writeDaysAgo("hivegate-1/.next/static/chunks/running.js", 30);
  writeDaysAgo("hivegate-1/.next/BUILD_ID", 30);
  writeDaysAgo("hivegate-1/.next/static/chunks/replaced-lately.js", 3);
  writeDaysAgo("hivegate-1/.next/static/chunks/replaced-long-ago.js", 31);
  writeDaysAgo("hivegate-2/.next/static/chunks/new.js", 0);
  symlinkSync("hivegate-1", join(folder, "hivegate"));

  await promisify(execFile)("sh", ["-c", recipe()], { cwd: join(folder, "hivegate-2") });

  const isKept = (name: string) => existsSync(join(folder, "hivegate-2/.next/static/chunks", name));
  const names = ["running.js", "replaced-lately.js", "new.js", "replaced-long-ago.js"];
  expect(names.map(isKept)).toEqual([true, true, true, false]);
});
