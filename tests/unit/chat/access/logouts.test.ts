import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLogouts, type Logouts } from "#lib/chat/access/logouts.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

let folder: string;
let store: Store;
let noted: Set<string>;
let logouts: Logouts;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hivegate-logouts-"));
  store = createSqliteStore({ dataDir: folder });
  noted = new Set();
  logouts = createLogouts(store, noted);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Records logouts as another process on the same store would. */
async function announceElsewhere(userIds: readonly string[]) {
  const elsewhere = createLogouts(store);
  for (const userId of userIds) await elsewhere.announce(userId);
}

describe("logouts shared between processes", () => {
  it("delivers each logout from other processes once", async () => {
    await logouts.announce("own");
    await announceElsewhere(["other"]);
    expect(await logouts.take()).toEqual(["other"]);
    expect(await logouts.take()).toEqual([]);
  });

  it("remembers up to a thousand logouts in a process without websockets", async () => {
    for (let count = 0; count < 1100; count++) await logouts.announce(`user${count}`);
    expect(noted.size).toBe(1000);
  });

  it("remembers a thousand of many logouts, and delivers none twice", async () => {
    for (let round = 0; round < 4; round++) {
      const users = Array.from({ length: 300 }, (_, index) => `user${round}-${index}`);
      await store.set("logouts", JSON.stringify(users.map((user) => `${user}:mark`)));
      expect(await logouts.take()).toEqual(users);
      expect(await logouts.take()).toEqual([]);
    }
    expect(noted.size).toBe(1000);
  });
});
