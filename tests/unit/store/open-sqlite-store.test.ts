import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "../../../lib/store/open-sqlite-store.ts";
import type { Store } from "../../../lib/store/store.ts";

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
const realNow = Date.now;

describe("an entry of the SQLite store", () => {
  let folder: string;
  const open: Store[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-clock-"));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const store of open.splice(0)) await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens the store as a new process does. `uptimeMs` is the machine's monotonic clock. */
  function start(uptimeMs?: () => number, boot?: string): Store {
    const store = openSqliteStore(folder, {
      ...(uptimeMs && { now: uptimeMs }),
      ...(boot !== undefined && { boot }),
    });
    open.push(store);
    return store;
  }
  const stepClock = (ms: number) => vi.spyOn(Date, "now").mockImplementation(() => realNow() + ms);

  it.each([
    ["forward by eight days", 8 * DAY_MS],
    ["back by a minute", -60 * SECOND_MS],
  ])(
    "expires at the same time for processes started before and after the clock stepped %s",
    async (_, stepMs) => {
      const before = start();
      await before.set("session", "alice", 3600);
      stepClock(stepMs);
      const after = start();
      expect([await before.get("session"), await after.get("session")]).toEqual(["alice", "alice"]);
      expect(await after.setIfAbsent("lock", "a holder that dies", 0.2)).toBe(true);
      await before.set("short", "1", 0.2);
      for (const key of ["lock", "short"])
        for (const store of [before, after]) await expect.poll(() => store.get(key)).toBeNull();
    },
  );

  it("expires at the same time on another machine, whatever its uptime, and when moved back to the first", async () => {
    let store = start(() => 5 * 3600 * SECOND_MS, "one");
    await store.set("session", "alice", 30 * 86_400);
    await store.set("brief", "1", 3600);
    await store.close();
    store = start(() => 40 * DAY_MS, "other");
    expect([await store.get("session"), await store.get("brief")]).toEqual(["alice", "1"]);
    await store.close();
    store = start(() => 6 * 3600 * SECOND_MS, "one");
    expect([await store.get("session"), await store.get("brief")]).toEqual(["alice", "1"]);
    stepClock(2 * 3600 * SECOND_MS);
    store = start(() => 40 * DAY_MS, "other");
    expect([await store.get("session"), await store.get("brief")]).toEqual(["alice", null]);
  });

  it("follows the date in a file of an earlier version, which names no boot", async () => {
    const store = start(() => 5 * 3600 * SECOND_MS, "one");
    await store.set("session", "alice", 86_400);
    await store.close();
    const file = new Database(join(folder, "hivegate.sqlite"));
    file.exec("ALTER TABLE clock DROP COLUMN boot");
    file.close();
    expect(await start(() => 40 * DAY_MS, "one").get("session")).toBe("alice");
  });

  it("ages across a reboot with the current date", async () => {
    let uptimeMs = 5000 * SECOND_MS;
    const before = start(() => uptimeMs);
    await before.set("brief", "1", 100);
    await before.set("long", "1", 3600);
    await before.close();
    open.pop();
    uptimeMs = 20 * SECOND_MS;
    stepClock(200 * SECOND_MS);
    const after = start(() => uptimeMs);
    expect([await after.get("brief"), await after.get("long")]).toEqual([null, "1"]);
  });

  it("is not extended by a reboot with an old date", async () => {
    let uptimeMs = 5000 * SECOND_MS;
    const before = start(() => uptimeMs);
    await before.set("session", "alice", 100);
    await before.close();
    open.pop();
    uptimeMs = 20 * SECOND_MS;
    stepClock(-20_000 * DAY_MS);
    const after = start(() => uptimeMs);
    expect(await after.get("session")).toBe("alice");
    uptimeMs += 100 * SECOND_MS;
    expect(await after.get("session")).toBeNull();
  });
});
