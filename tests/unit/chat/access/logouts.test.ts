import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { announceLogout, takeLogouts } from "../../../../lib/chat/access/logouts.ts";
import { createSqliteStore } from "../../../../lib/store/sqlite-store.ts";
import type { Store } from "../../../../lib/store/store.ts";

const MINUTE_MS = 60_000;
const noted = Symbol.for("hivegate.logouts-done");
const kept = globalThis as { [noted]?: Set<string> };

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hivegate-logouts-"));
  store = createSqliteStore({ dataDir: folder });
  delete kept[noted];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes down logouts as another process on the same store would. */
async function announceElsewhere(userIds: readonly string[], atMs: number) {
  const own = kept[noted];
  delete kept[noted];
  for (const userId of userIds) await announceLogout(store, userId, atMs);
  if (own) kept[noted] = own;
  else delete kept[noted];
}

describe("logouts that processes tell each other", () => {
  it("are taken once, those of other processes alone", async () => {
    await announceLogout(store, "own", 1000);
    await announceElsewhere(["other"], 1000);
    expect(await takeLogouts(store, 0, 2000)).toEqual(["other"]);
    expect(await takeLogouts(store, 0, 2000)).toEqual([]);
  });

  it("are forgotten after ten minutes by a process that nobody has a websocket to", async () => {
    for (let minute = 0; minute < 60; minute++)
      await announceLogout(store, `user${minute}`, minute * MINUTE_MS);
    expect(kept[noted]?.size).toBe(10);
  });

  it("that come by thousands leave the newest thousand notes, and none is taken twice", async () => {
    for (let round = 0; round < 4; round++) {
      const users = Array.from({ length: 300 }, (_, index) => `user${round}-${index}`);
      await store.set("logouts", JSON.stringify(users.map((user) => `1000:${user}:mark`)));
      expect(await takeLogouts(store, 0, 2000)).toEqual(users);
      expect(await takeLogouts(store, 0, 2000)).toEqual([]);
    }
    expect(kept[noted]?.size).toBe(1000);
  });
});
