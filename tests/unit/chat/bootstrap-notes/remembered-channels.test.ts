import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { forgetLeft, listLeft, rememberLeft } from "#lib/chat/bootstrap-notes/left-channels.ts";
import { listPlaced, rememberPlaced } from "#lib/chat/bootstrap-notes/placed-communities.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

describe("the record of a user's channels", () => {
  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-left-"));
    store = createSqliteStore({ dataDir: folder });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("lists the channels that a user left, until they join again", async () => {
    await rememberLeft(store, "alice", "c1");
    await rememberLeft(store, "alice", "c2");
    await rememberLeft(store, "alice", "c1");
    await rememberLeft(store, "bob", "c3");
    expect((await listLeft(store, "alice")).sort()).toEqual(["c1", "c2"]);
    await forgetLeft(store, "alice", "c1");
    await forgetLeft(store, "alice", "never left");
    expect(await listLeft(store, "alice")).toEqual(["c2"]);
    expect(await listLeft(store, "carol")).toEqual([]);
  });

  it("includes all of several simultaneous changes", async () => {
    const other = createSqliteStore({ dataDir: folder });
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    await Promise.all(ids.map((id, index) => rememberLeft(index % 2 ? store : other, "alice", id)));
    expect((await listLeft(store, "alice")).sort()).toEqual([...ids].sort());
    await other.close();
  });

  it("keeps the newest 2,000 entries", async () => {
    for (let index = 0; index < 2010; index++) await rememberLeft(store, "alice", `c${index}`);
    const left = await listLeft(store, "alice");
    expect(left).toHaveLength(2000);
    expect(left).toContain("c2009");
    expect(left).not.toContain("c0");
  });

  it("remembers the channels in which a bootstrap found the user, for as long as the user is subscribed", async () => {
    await rememberPlaced(store, "alice", ["a", "b"], ["a", "b", "c"]);
    await rememberPlaced(store, "alice", ["b"], ["a", "b", "c"]);
    expect((await listPlaced(store, "alice")).sort()).toEqual(["a", "b"]);
    await rememberPlaced(store, "alice", ["b"], ["b", "c"]);
    expect(await listPlaced(store, "alice")).toEqual(["b"]);
  });
});
