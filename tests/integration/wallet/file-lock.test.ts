import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createFileStore } from "#lib/wallet/file-store.ts";

const LONG_AGO_SECONDS = 1_700_000_000;

describe("the lock of a wallet's records", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-lock-"));
    path = join(folder, "records.json");
  });
  afterEach(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Leaves a lock as a process with this text would have, if it was killed long ago. */
  function leaveLock(text: string): void {
    writeFileSync(`${path}.lock`, text);
    utimesSync(`${path}.lock`, LONG_AGO_SECONDS, LONG_AGO_SECONDS);
  }
  const write = () => createFileStore(path).setIfAbsent("key", "value");

  it.each([
    ["of this process's id, left by an earlier process", () => `${process.pid} 1`],
    ["of this process's id, left by an earlier version", () => String(process.pid)],
    ["whose process id another process has now", () => `${process.ppid} 1`],
    ["whose process id no process has", () => "4194305 1"],
  ])("is broken if it is one %s", async (_what, text) => {
    leaveLock(text());
    expect(await write()).toBe(true);
  });

  it("is waited for while its process may be alive in another container", async () => {
    const nowMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: nowMs });
    writeFileSync(`${path}.lock`, `${process.pid} 1`);
    utimesSync(`${path}.lock`, nowMs / 1000, nowMs / 1000);
    let isDone = false;
    const writing = write().finally(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isDone).toBe(false);
    utimesSync(`${path}.lock`, LONG_AGO_SECONDS, LONG_AGO_SECONDS);
    expect(await writing).toBe(true);
  });

  it("loses no write of several processes at once", async () => {
    const script = `
      import { createFileStore } from ${JSON.stringify(new URL("../../../lib/wallet/file-store.ts", import.meta.url).href)};
      const store = createFileStore(${JSON.stringify(path)});
      for (let index = 0; index < 20; index++) await store.setIfAbsent(process.argv[1] + index, "written");`;
    const run = (name: string) =>
      new Promise<number | null>((resolve) => {
        const args = ["--import", "tsx", "--input-type=module", "--eval", script, name];
        spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] }).on("exit", resolve);
      });
    expect(await Promise.all(["a", "b", "c"].map(run))).toEqual([0, 0, 0]);
    const store = createFileStore(path);
    for (const name of ["a", "b", "c"])
      for (let index = 0; index < 20; index++) expect(await store.get(name + index)).toBe("written");
  });
});
