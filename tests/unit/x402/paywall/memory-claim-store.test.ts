import { describe, expect, test } from "vitest";
import { createMemoryClaimStore } from "#lib/x402/paywall/claims.ts";

describe("claims in memory", () => {
  test("sets a claim once, and replaces and removes it only by its current value", async () => {
    const store = createMemoryClaimStore();
    expect([await store.setIfAbsent("k", "a"), await store.setIfAbsent("k", "b")]).toEqual([true, false]);
    expect([await store.replace("k", "x", "c"), await store.replace("k", "a", "c")]).toEqual([false, true]);
    expect([await store.deleteIf("k", "a"), await store.get("k")]).toEqual([false, "c"]);
    expect([await store.deleteIf("k", "c"), await store.get("k")]).toEqual([true, null]);
  });

  test("drops an expired claim", async () => {
    let nowMs = 0;
    const store = createMemoryClaimStore(() => nowMs);
    await store.setIfAbsent("k", "a", 4);
    nowMs = 3999;
    expect(await store.replace("k", "a", "b", 4)).toBe(true);
    nowMs = 7998;
    expect(await store.get("k")).toBe("b");
    nowMs = 7999;
    expect([
      await store.get("k"),
      await store.replace("k", "b", "c"),
      await store.setIfAbsent("k", "d"),
    ]).toEqual([null, false, true]);
  });

  test("limits the number of claims, dropping the oldest", async () => {
    const store = createMemoryClaimStore();
    for (let index = 0; index < 20_001; index++) await store.setIfAbsent(String(index), "a");
    expect([await store.get("0"), await store.get("1"), await store.get("20000")]).toEqual([null, "a", "a"]);
  });
});
