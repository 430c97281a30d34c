import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIdentities, createUserAddresses, type Identities } from "#lib/chat/access/identities.ts";
import { Secret } from "#lib/secret.ts";
import { openSqliteStore } from "#lib/store/open-sqlite-store.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

describe("bindings of accounts and chat users", () => {
  let dataDir: string;
  let stores: Store[];
  let identities: Identities;
  let elsewhere: Identities;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "identities-"));
    stores = [createSqliteStore({ dataDir }), createSqliteStore({ dataDir })];
    [identities, elsewhere] = stores.map(createIdentities) as [Identities, Identities];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await rm(dataDir, { recursive: true, force: true });
  });

  const keysOf = (prefix: string) => stores[0]?.list(prefix, 10) ?? [];

  it("binds one account to one user, for every gateway on the store", async () => {
    expect(await identities.bind("alice", "a")).toBe(true);
    expect(await elsewhere.bind("alice", "a")).toBe(true);
    expect(await elsewhere.bind("alice", "b")).toBe(false);
    expect(await elsewhere.bind("bob", "a")).toBe(false);
    expect([await elsewhere.userOf("alice"), await elsewhere.accountOf("a")]).toEqual(["a", "alice"]);
    expect([await elsewhere.userOf("bob"), await elsewhere.accountOf("b")]).toEqual([null, null]);
    expect(await identities.list(10)).toEqual([{ account: "alice", userId: "a" }]);
  });

  it("completes only one of several simultaneous bindings", async () => {
    const users = Array.from({ length: 20 }, (_, index) => `user${index}`);
    const done = await Promise.all(
      users.map((user, index) => (index % 2 ? identities : elsewhere).bind("alice", user)),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await identities.userOf("alice")).toBe(users[done.indexOf(true)]);
    expect(await keysOf("identity:user:")).toHaveLength(1);
  });

  it("stores a binding without expiry", async () => {
    const far = openSqliteStore(dataDir, { now: () => Date.now() + 100 * 365 * 86_400_000 });
    stores.push(far);
    await identities.bind("alice", "a");
    expect(await createIdentities(far).userOf("alice")).toBe("a");
  });

  it("restores a binding that lost one half, but only from the other half", async () => {
    for (const lost of ["identity:account:alice", "identity:user:a"]) {
      await identities.bind("alice", "a");
      await stores[0]?.delete(lost);
      const isLostAccount = lost.endsWith("alice");
      expect(await (isLostAccount ? identities.bind("bob", "a") : identities.bind("alice", "b"))).toBe(false);
      expect(await identities.bind("alice", "a")).toBe(true);
      expect([await identities.userOf("alice"), await identities.accountOf("a")]).toEqual(["a", "alice"]);
    }
  });

  it("moves a binding only from the named user, and never to another account's user", async () => {
    await identities.bind("alice", "gone");
    await identities.bind("bob", "b");
    expect(await identities.rebind("alice", "other", "new")).toBe(false);
    expect(await identities.accountOf("new")).toBeNull();
    expect(await identities.rebind("alice", "gone", "b")).toBe(false);
    expect(await identities.rebind("alice", "gone", "new")).toBe(true);
    expect(await elsewhere.rebind("alice", "gone", "new")).toBe(true);
    expect([await identities.userOf("alice"), await identities.accountOf("gone")]).toEqual(["new", null]);
    expect(await identities.accountOf("b")).toBe("bob");
  });
});

describe("addresses of chat users", () => {
  const of = (secret: string) => createUserAddresses(new Secret(secret));

  it("derives one stable address per account and secret, in a form that Mattermost accepts", () => {
    const [one, two] = [of("a".repeat(32)), of("b".repeat(32))];
    expect(one.of("alice")).toBe(of("a".repeat(32)).of("alice"));
    expect(new Set([one.of("alice"), one.of("bob"), two.of("alice"), one.formerOf("alice")]).size).toBe(4);
    expect(one.of("a-very-long.name")).toMatch(/^a-very-long\.name\.[0-9a-f]{32}@users\.hivegate\.invalid$/);
  });
});
