import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Secret } from "../../../lib/secret.ts";
import { openStore } from "../../../lib/store/open-store.ts";
import type { Change, Store } from "../../../lib/store/store.ts";
import { soon } from "../../harness/soon.ts";
import { startRedis } from "../../harness/start-redis.ts";
import { startUpstashBridge } from "../../harness/start-upstash-bridge.ts";

type Opened = { open: () => Promise<Store>; close: () => Promise<void> };

const kinds: Record<string, () => Promise<Opened>> = {
  async sqlite() {
    const dataDir = mkdtempSync(join(tmpdir(), "hivegate-store-"));
    return {
      open: () => openStore({ kind: "sqlite", dataDir }),
      close: async () => rmSync(dataDir, { recursive: true, force: true }),
    };
  },
  async redis() {
    const redis = await startRedis();
    return { open: () => openStore({ kind: "redis", url: new Secret(redis.url) }), close: redis.close };
  },
  async upstash() {
    const redis = await startRedis();
    const bridge = await startUpstashBridge(redis.url);
    return {
      open: () => openStore({ kind: "upstash", url: bridge.url, token: new Secret(bridge.token) }),
      async close() {
        await bridge.close();
        await redis.close();
      },
    };
  },
};

describe.each(Object.keys(kinds))("the %s store", (kind) => {
  let opened: Opened;
  let store: Store;
  /** The same data opened a second time, as by another process. */
  let other: Store;
  let round = 0;
  const key = (name: string) => `${round}/${name}`;

  beforeAll(async () => {
    opened = await (kinds[kind] as () => Promise<Opened>)();
    store = await opened.open();
    other = await opened.open();
  });
  afterAll(async () => {
    await store.close();
    await other.close();
    await opened.close();
  });
  beforeEach(() => {
    round += 1;
  });

  const gone = (name: string) => soon(async () => expect(await store.get(key(name))).toBeNull());

  it("shares values with another connection to the same data", async () => {
    expect(await store.get(key("a"))).toBeNull();
    await store.set(key("a"), "one");
    expect(await other.get(key("a"))).toBe("one");
    await other.set(key("a"), "two");
    expect(await store.get(key("a"))).toBe("two");
  });

  it.each([
    ["an empty text", ""],
    ["JSON", '{"a":[1,null,"x"]}'],
    ["digits alone", "12345678901234567890"],
    ["the word OK", "OK"],
    ["letters of other scripts and control characters", "žluťoučký 🐎\n\t\u0001 end"],
    ["64 KiB", "x".repeat(65_536)],
  ])("stores %s unchanged", async (_, value) => {
    await store.set(key("value"), value);
    expect(await other.get(key("value"))).toBe(value);
    expect(await other.list(key("value"), 5)).toEqual([{ key: key("value"), value }]);
    expect(await store.replace(key("value"), value, "next")).toBe(true);
  });

  it("drops an entry after its time to live, and can set it again", async () => {
    await store.set(key("short"), "1", 0.15);
    expect(await store.setIfAbsent(key("lock"), "1", 0.15)).toBe(true);
    await gone("short");
    await gone("lock");
    expect(await store.list(key(""), 10)).toEqual([]);
    expect(await store.delete(key("short"))).toBe(false);
    expect(await other.setIfAbsent(key("lock"), "2", 60)).toBe(true);
    expect(await store.get(key("lock"))).toBe("2");
  });

  it("treats a time to live of zero as expired", async () => {
    await store.set(key("instant"), "1", 0.0001);
    expect(await store.setIfAbsent(key("lock"), "1", 0)).toBe(true);
    await gone("instant");
    await gone("lock");
  });

  it("removes the time to live when a value is set without one", async () => {
    await store.set(key("a"), "1", 0.2);
    await store.set(key("a"), "2");
    await store.set(key("probe"), "1", 0.4);
    await gone("probe");
    expect(await store.get(key("a"))).toBe("2");
  });

  it("sets an absent key for only one of several simultaneous callers", async () => {
    const stores = [store, other];
    const wins = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (stores[index % 2] as Store).setIfAbsent(key("claim"), `${index}`, 60),
      ),
    );
    expect(wins.filter(Boolean)).toHaveLength(1);
    expect(await store.get(key("claim"))).toBe(`${wins.indexOf(true)}`);
  });

  it("applies a change of several keys completely or not at all", async () => {
    await store.set(key("held"), "1", 60);
    const change: Change = {
      expect: [
        [key("new"), null],
        [key("held"), "1"],
      ],
      set: [
        [key("new"), "2"],
        [key("held"), ""],
      ],
      delete: [key("gone")],
      scores: [[key("set"), "member", 5]],
    };
    await store.set(key("gone"), "3");
    expect(await store.commit({ ...change, expect: [...change.expect, [key("gone"), "4"]] })).toBe(false);
    expect(await store.commit({ ...change, expect: [...change.expect, [key("gone"), null]] })).toBe(false);
    expect(await store.commit({ ...change, expect: [[key("absent"), ""]] })).toBe(false);
    const names = ["new", "held", "gone"];
    const values = () => Promise.all(names.map((name) => other.get(key(name))));
    expect([await values(), await other.range(key("set"), 9, 9)]).toEqual([[null, "1", "3"], []]);
    expect(await store.commit(change)).toBe(true);
    expect([await values(), await other.range(key("set"), 9, 9)]).toEqual([["2", "", null], ["member"]]);
    expect(await store.commit(change)).toBe(false);
  });

  it("makes an entry that a change sets permanent, and treats an expired entry as absent", async () => {
    await store.set(key("a"), "1", 2);
    await store.set(key("over"), "1", 0.1);
    expect(await store.commit({ expect: [[key("a"), "1"]], set: [[key("a"), "2"]] })).toBe(true);
    await gone("over");
    await store.set(key("probe"), "1", 2);
    await gone("probe");
    expect(await store.get(key("a"))).toBe("2");
    expect(await store.commit({ expect: [[key("over"), null]], set: [[key("over"), "3"]] })).toBe(true);
    expect(await store.get(key("over"))).toBe("3");
  });

  it("expires only those entries of a change that have a time to live", async () => {
    const set = [
      [key("brief"), "1", 0.1],
      [key("lasting"), "2"],
    ] as const;
    expect(await store.commit({ expect: [], set })).toBe(true);
    await gone("brief");
    expect(await other.get(key("lasting"))).toBe("2");
  });

  it("lets one of two overlapping changes win completely", async () => {
    for (let turn = 0; turn < 10; turn++) {
      const ids = [key(`${turn}x`), key(`${turn}y`)];
      const claim = (holder: string, order: string[]): Change => ({
        expect: order.map((id) => [id, null] as const),
        set: order.map((id) => [id, holder] as const),
      });
      const results = await Promise.all([
        store.commit(claim("s", ids)),
        other.commit(claim("o", [...ids].reverse())),
      ]);
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await store.get(ids[0] as string)).toBe(await store.get(ids[1] as string));
    }
  });

  it("lists the members of a sorted set by score, up to the requested score", async () => {
    const place = (member: string, score: number | null, set = "set") =>
      store.commit({ expect: [], scores: [[key(set), member, score]] });
    for (const [member, score] of [
      ["late", 1_800_000_000_000],
      ["early", 1_700_000_000_000],
      ["first", -1],
      ["moved", 1],
      ["struck", 2],
    ] as const)
      await place(member, score);
    await place("elsewhere", 0, "set:other");
    await place("moved", 1_750_000_000_000.5);
    await place("struck", null);
    await place("never", null);
    const upTo = (score: number, limit = 10) => other.range(key("set"), score, limit);
    expect(await upTo(Number.POSITIVE_INFINITY)).toEqual(["first", "early", "moved", "late"]);
    expect(await upTo(1_700_000_000_000)).toEqual(["first", "early"]);
    expect(await upTo(1_750_000_000_000)).toEqual(["first", "early"]);
    expect(await upTo(Number.POSITIVE_INFINITY, 1)).toEqual(["first"]);
    expect(await upTo(-2)).toEqual([]);
    expect(await other.range(key("nothing"), 1, 1)).toEqual([]);
    expect(await store.list(key("set"), 10)).toEqual([]);
  });

  it("replaces a value only if it is the expected one", async () => {
    await store.set(key("a"), "1");
    expect(await other.replace(key("a"), "0", "2")).toBe(false);
    expect(await other.replace(key("a"), "1", "2")).toBe(true);
    expect(await store.get(key("a"))).toBe("2");
    expect(await store.replace(key("none"), "1", "2")).toBe(false);
    expect(await store.get(key("none"))).toBeNull();
    expect(await store.replace(key("a"), "2", "3", 0.1)).toBe(true);
    await gone("a");
  });

  it("deletes a value, with a condition or without", async () => {
    await store.set(key("a"), "1");
    expect(await store.deleteIf(key("a"), "2")).toBe(false);
    expect(await store.deleteIf(key("a"), "1")).toBe(true);
    expect(await store.get(key("a"))).toBeNull();
    await store.set(key("b"), "1");
    expect(await store.delete(key("b"))).toBe(true);
    expect(await store.delete(key("b"))).toBe(false);
  });

  it("lists exactly the live entries under a prefix", async () => {
    await store.set(key("list*[?]\\:1"), "1");
    await store.set(key("list*[?]\\:2"), "2", 60);
    await store.set(key("listX[?]\\:3"), "3");
    await store.set(key("lisu"), "4");
    const found = await other.list(key("list*[?]\\:"), 10);
    expect(found.sort((one, two) => one.key.localeCompare(two.key))).toEqual([
      { key: key("list*[?]\\:1"), value: "1" },
      { key: key("list*[?]\\:2"), value: "2" },
    ]);
    expect(await other.list(key("lis"), 3)).toHaveLength(3);
    expect(await other.list(key("nothing"), 3)).toEqual([]);
  });

  it("lists more entries than fit on one page of a scan", async () => {
    const names = Array.from({ length: 1500 }, (_, index) => `many:${index}`);
    for (let from = 0; from < names.length; from += 250)
      await store.commit({
        expect: [],
        set: names.slice(from, from + 250).map((name) => [key(name), name] as const),
      });
    expect(await other.list(key("many:"), 5000)).toHaveLength(1500);
    expect(await other.list(key("many:"), 700)).toHaveLength(700);
  });

  it("answers a ping", async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
