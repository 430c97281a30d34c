import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spendStoredQuotas } from "#lib/chat/access/stored-quotas.ts";
import { openSqliteStore } from "#lib/store/open-sqlite-store.ts";

const windowSeconds = 86_400;

test("the store keeps a quota until two windows after its last use, and no longer", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "quotas-"));
  let nowMs = 0;
  const store = openSqliteStore(dataDir, { now: () => nowMs, boot: "one" });
  try {
    const limit = { name: "daily", requests: 3, windowSeconds };
    const spend = () => spendStoredQuotas({ store, now: () => nowMs }, [{ limit, subject: "alice" }]);
    const stored = async () => (await store.list("quota:", 10)).length;
    expect(await spend()).toEqual([2]);
    nowMs += 1000;
    expect(await spend()).toEqual([1]);
    nowMs += 2 * windowSeconds * 1000 - 1000;
    expect(await stored()).toBe(1);
    nowMs += 2000;
    expect(await stored()).toBe(0);
    expect(await spend()).toEqual([2]);
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
