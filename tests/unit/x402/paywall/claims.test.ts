import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Claim } from "#lib/x402/paywall/claim.ts";
import { type ClaimStore, createMemoryClaimStore } from "#lib/x402/paywall/claim-store.ts";
import { createClaims } from "#lib/x402/paywall/claims.ts";

const DAY_MS = 86_400_000;
const claim: Claim = {
  phase: "settling",
  resource: "hash",
  validBefore: "2026-01-01T00:05:00.000Z",
  amount: "0.050 HBD",
  idempotencyKey: "key",
};
const paid: Claim = { ...claim, phase: "paid" };

let nowMs = 0;
let store: ClaimStore;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  store = createMemoryClaimStore(() => nowMs);
});
afterEach(() => void vi.useRealTimers());
const pass = (ms: number) => {
  nowMs += ms;
  vi.advanceTimersByTime(ms);
};

describe("leasing the right to process a payment", () => {
  test("gives the right to one holder, and frees it as soon as they return it", async () => {
    const claims = createClaims(store);
    const lease = await claims.lease("payment");
    expect(await claims.lease("payment")).toBeNull();
    await lease?.release();
    expect(await claims.lease("payment")).not.toBeNull();
  });

  test("renews the right every second during the work", async () => {
    const claims = createClaims(store);
    const renewals = vi.spyOn(store, "replace");
    const lease = await claims.lease("payment");
    for (let second = 0; second < 10; second++) pass(1000);
    expect(renewals).toHaveBeenCalledTimes(10);
    expect(await claims.lease("payment")).toBeNull();
    await lease?.release();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("frees the right four seconds after its holder's last sign of life, not earlier", async () => {
    const claims = createClaims(store);
    await claims.lease("payment");
    nowMs += 3999;
    expect(await claims.lease("payment")).toBeNull();
    nowMs += 1;
    expect(await claims.lease("payment")).not.toBeNull();
  });

  test("frees the right once the store answers again, if the store failed at the end of the work", async () => {
    let isDown = false;
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearInterval"] });
    const claims = createClaims({
      ...store,
      deleteIf: (...given) => (isDown ? Promise.reject(new Error("down")) : store.deleteIf(...given)),
    });
    const lease = await claims.lease("payment");
    isDown = true;
    await lease?.release();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await claims.lease("payment")).toBeNull();
    isDown = false;
    await vi.advanceTimersByTimeAsync(100);
    expect(await claims.lease("payment")).not.toBeNull();
  });

  test("does not take the right from the next holder when the former one releases it late", async () => {
    const claims = createClaims(store);
    const late = await claims.lease("payment");
    nowMs += 4000;
    await claims.lease("payment");
    await late?.release();
    expect(await claims.lease("payment")).toBeNull();
  });
});

describe("outcomes of a payment", () => {
  test("stores an outcome for thirty days after its last change", async () => {
    const claims = createClaims(store);
    await claims.open("payment", claim);
    pass(20 * DAY_MS);
    await claims.change("payment", claim, paid);
    pass(30 * DAY_MS - 1);
    expect(await claims.read("payment")).toEqual(paid);
    pass(1);
    expect(await claims.read("payment")).toBeNull();
  });

  test("changes an outcome once, even if the store's answer was lost", async () => {
    let isLost = true;
    const lossy: ClaimStore = {
      ...store,
      async replace(...given) {
        const isDone = await store.replace(...given);
        if (!isLost) return isDone;
        isLost = false;
        throw new Error("lost");
      },
    };
    const claims = createClaims(lossy);
    await claims.open("payment", claim);
    expect(await claims.change("payment", claim, paid)).toBe(true);
    expect(await claims.change("payment", claim, paid)).toBe(false);
    expect(await claims.read("payment")).toEqual(paid);
  });

  test("drops an outcome 25 hours after a refusal, unless it has changed", async () => {
    const claims = createClaims(store);
    await claims.open("refused", claim);
    await claims.open("changed", claim);
    await claims.letGo("refused", claim);
    await claims.change("changed", claim, paid);
    await claims.letGo("changed", claim);
    pass(90_000_000 - 1);
    expect(await claims.read("refused")).toEqual(claim);
    pass(1);
    expect(await claims.read("refused")).toBeNull();
    expect(await claims.read("changed")).toEqual(paid);
  });

  test("advances an outcome once the store answers again, unless it has changed", async () => {
    let isDown = true;
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearInterval"] });
    const claims = createClaims({
      ...store,
      replace: (...given) => (isDown ? Promise.reject(new Error("down")) : store.replace(...given)),
    });
    await claims.open("payment", claim);
    await claims.open("other", paid);
    const insisting = Promise.all(["payment", "other"].map((id) => claims.insist(id, claim, paid)));
    await vi.advanceTimersByTimeAsync(5000);
    expect(await claims.read("payment")).toEqual(claim);
    isDown = false;
    await vi.advanceTimersByTimeAsync(30_000);
    await insisting;
    expect([await claims.read("payment"), await claims.read("other")]).toEqual([paid, paid]);
  });

  test("takes an uncertain outcome back once the store answers again", async () => {
    let isDown = false;
    const lossy: ClaimStore = {
      ...store,
      async replace(...given) {
        const isDone = isDown ? false : await store.replace(...given);
        if (given[0].startsWith("x402:claim:") && given[2].includes("delivering")) isDown = true;
        if (isDown) throw new Error("down");
        return isDone;
      },
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearInterval"] });
    const claims = createClaims(lossy);
    await claims.open("payment", paid);
    const delivering: Claim = { ...paid, phase: "delivering", delivery: "one" };
    await expect(claims.change("payment", paid, delivering)).rejects.toThrow("claim store");
    expect(await claims.read("payment")).toEqual(delivering);
    const takingBack = claims.takeBack("payment", paid, delivering);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await claims.read("payment")).toEqual(delivering);
    isDown = false;
    await vi.advanceTimersByTimeAsync(30_000);
    await takingBack;
    expect(await claims.read("payment")).toMatchObject(paid);
  });

  test.each([true, false])(
    "does not restore a withdrawn outcome when a late write arrives (the write had taken effect: %s)",
    async (hadArrived) => {
      const claims = createClaims(store);
      const delivering: Claim = { ...paid, phase: "delivering", delivery: "one" };
      await claims.open("payment", paid);
      if (hadArrived) await claims.change("payment", paid, delivering);
      await claims.takeBack("payment", paid, delivering);
      expect(await claims.change("payment", paid, delivering)).toBe(false);
      expect(await claims.read("payment")).toMatchObject(paid);
    },
  );

  test("does not take an outcome back from a delivery that began meanwhile", async () => {
    const claims = createClaims(store);
    await claims.open("payment", paid);
    await claims.change("payment", paid, { ...paid, phase: "delivering", delivery: "other" });
    await claims.takeBack("payment", paid, { ...paid, phase: "delivering", delivery: "one" });
    expect(await claims.read("payment")).toMatchObject({ phase: "delivering", delivery: "other" });
  });
});

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
