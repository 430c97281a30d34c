import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createIdentities, createUserAddresses, type Identities } from "#lib/chat/access/identities.ts";
import { Secret } from "#lib/secret.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

describe("the bindings of accounts and chat users", () => {
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

  it("are one to one, for every gateway on the store", async () => {
    expect(await identities.bind("alice", "a")).toBe(true);
    expect(await elsewhere.bind("alice", "a")).toBe(true);
    expect(await elsewhere.bind("alice", "b")).toBe(false);
    expect(await elsewhere.bind("bob", "a")).toBe(false);
    expect([await elsewhere.userOf("alice"), await elsewhere.accountOf("a")]).toEqual(["a", "alice"]);
    expect([await elsewhere.userOf("bob"), await elsewhere.accountOf("b")]).toEqual([null, null]);
    expect(await identities.list(10)).toEqual([{ account: "alice", userId: "a" }]);
  });

  it("go to one of those who bind at a time", async () => {
    const users = Array.from({ length: 20 }, (_, index) => `user${index}`);
    const done = await Promise.all(
      users.map((user, index) => (index % 2 ? identities : elsewhere).bind("alice", user)),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await identities.userOf("alice")).toBe(users[done.indexOf(true)]);
    expect(await keysOf("identity:user:")).toHaveLength(1);
  });

  it("last for ever", async () => {
    const far = createSqliteStore({ dataDir, now: () => Date.now() + 100 * 365 * 86_400_000 });
    stores.push(far);
    await identities.bind("alice", "a");
    expect(await createIdentities(far).userOf("alice")).toBe("a");
  });

  it("are completed when one half was lost, and only by what the other half says", async () => {
    for (const lost of ["identity:account:alice", "identity:user:a"]) {
      await identities.bind("alice", "a");
      await stores[0]?.delete(lost);
      const isLostAccount = lost.endsWith("alice");
      expect(await (isLostAccount ? identities.bind("bob", "a") : identities.bind("alice", "b"))).toBe(false);
      expect(await identities.bind("alice", "a")).toBe(true);
      expect([await identities.userOf("alice"), await identities.accountOf("a")]).toEqual(["a", "alice"]);
    }
  });

  it("move to another user only from the one that is named, and never to somebody else's", async () => {
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

describe("the address of a chat user", () => {
  const of = (secret: string) => createUserAddresses(new Secret(secret));

  it("is the same each time, another for each account and each secret, and one that a Mattermost takes", () => {
    const [one, two] = [of("a".repeat(32)), of("b".repeat(32))];
    expect(one.of("alice")).toBe(of("a".repeat(32)).of("alice"));
    expect(new Set([one.of("alice"), one.of("bob"), two.of("alice"), one.formerOf("alice")]).size).toBe(4);
    expect(one.of("a-very-long.name")).toMatch(/^a-very-long\.name\.[0-9a-f]{32}@users\.hivegate\.invalid$/);
  });
});
