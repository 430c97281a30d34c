import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../../sandbox/mattermost/context.ts";
import { openDatabase } from "../../../sandbox/mattermost/database.ts";
import { createClock } from "../../../sandbox/mattermost/id.ts";
import { readSetting, writeSetting } from "../../../sandbox/mattermost/model/preferences.ts";

describe("transactions of the chat backend", () => {
  let dataDir: string;
  let backend: Backend;
  let heard: string[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "mattermost-transactions-"));
    heard = [];
    backend = createBackend({
      db: openDatabase(dataDir),
      clock: createClock(() => 1000, 0),
      settings: {
        flavour: "v11",
        maxUsers: 1,
        enableUserAccessTokens: true,
        enableOpenServer: false,
        maxUsersPerTeam: 10,
        siteUrl: "",
      },
      deliver: ({ event }) => heard.push(`${event} ${readSetting(backend.db, "it")}`),
    });
  });
  afterEach(async () => {
    if (backend.db.isOpen()) backend.db.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const work = (fails: boolean) => () => {
    writeSetting(backend.db, "it", "stored");
    backend.publish({ event: "told", data: {}, broadcast: {} });
    if (fails) throw new Error("broken");
    expect(heard).toEqual([]);
  };

  it("tell of nothing before it is stored", () => {
    backend.transact(() => backend.transact(work(false)));
    expect(heard).toEqual(["told stored"]);
  });

  it("tell and store nothing of what failed, and nothing of it comes along later", () => {
    expect(() => backend.transact(work(true))).toThrow("broken");
    expect(readSetting(backend.db, "it")).toBeUndefined();
    backend.transact(() => {});
    expect(heard).toEqual([]);
  });

  it("throw on a closed database instead of ending the process", () => {
    backend.db.close();
    expect(() => backend.transact(work(false))).toThrow("closed");
    expect(() => readSetting(backend.db, "it")).toThrow("closed");
    expect(backend.db.isInTransaction()).toBe(false);
  });

  it("tick later than every tick before, whatever the clock says", () => {
    const ticks = [1, 2, 3].map(() => backend.clock.tick());
    expect(ticks).toEqual([1000, 1001, 1002]);
    expect(backend.clock.now()).toBe(1000);
  });
});
