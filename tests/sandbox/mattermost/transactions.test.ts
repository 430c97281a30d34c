import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMattermost, type Mattermost } from "../../../sandbox/mattermost/context.ts";
import { openDatabase } from "../../../sandbox/mattermost/database.ts";
import { createClock } from "../../../sandbox/mattermost/id.ts";
import { readSetting, writeSetting } from "../../../sandbox/mattermost/model/preferences.ts";

describe("transactions of the sandbox's Mattermost", () => {
  let dataDir: string;
  let mattermost: Mattermost;
  let heard: string[];
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "mattermost-transactions-"));
    heard = [];
    mattermost = createMattermost({
      db: openDatabase(dataDir),
      clock: createClock(() => 1000, 0),
      settings: {
        flavour: "v11",
        maxUsers: 1,
        enableUserAccessTokens: true,
        enableOpenServer: false,
        maxUsersPerTeam: 10,
        showEmailAddress: true,
        siteUrl: "",
      },
      deliver: ({ event }) => heard.push(`${event} ${readSetting(mattermost.db, "it")}`),
    });
  });
  afterEach(async () => {
    if (mattermost.db.isOpen()) mattermost.db.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const work = (fails: boolean) => () => {
    writeSetting(mattermost.db, "it", "stored");
    mattermost.publish({ event: "told", data: {}, broadcast: {} });
    if (fails) throw new Error("broken");
    expect(heard).toEqual([]);
  };

  it("publish nothing before it is stored", () => {
    mattermost.transact(() => mattermost.transact(work(false)));
    expect(heard).toEqual(["told stored"]);
  });

  it("publish and store nothing if they fail, not even later", () => {
    expect(() => mattermost.transact(work(true))).toThrow("broken");
    expect(readSetting(mattermost.db, "it")).toBeUndefined();
    mattermost.transact(() => {});
    expect(heard).toEqual([]);
  });

  it("throw on a closed database instead of ending the process", () => {
    mattermost.db.close();
    expect(() => mattermost.transact(work(false))).toThrow("closed");
    expect(() => readSetting(mattermost.db, "it")).toThrow("closed");
    expect(mattermost.db.isInTransaction()).toBe(false);
  });

  it("give later times than before, even while the clock stands still", () => {
    const ticks = [1, 2, 3].map(() => mattermost.clock.tick());
    expect(ticks).toEqual([1000, 1001, 1002]);
    expect(mattermost.clock.now()).toBe(1000);
  });
});
