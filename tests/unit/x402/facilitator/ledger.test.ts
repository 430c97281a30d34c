import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { toMils } from "#lib/mils.ts";
import { openSqliteStore } from "#lib/store/open-sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";
import { createLedger } from "#lib/x402/facilitator/ledger.ts";
import type { PaymentRecord } from "#lib/x402/facilitator/payment-record.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("the ledger of payments", () => {
  const startMs = Date.now();
  /** The clock of both the chain and the machine, unless a test separates them. */
  let nowMs: number;
  let dataDir: string;
  let store: Store;
  let ledger: ReturnType<typeof createLedger>;
  let wallClock: MockInstance<typeof Date.now>;
  const standingAt = (headTimeMs: number) => {
    const state = { headBlock: 1, headBlockId: "", irreversibleBlock: 1, headTimeMs };
    return { ...state, reachedTimeMs: headTimeMs, views: [state] };
  };
  beforeEach(() => {
    nowMs = startMs;
    dataDir = mkdtempSync(join(tmpdir(), "hivegate-ledger-"));
    store = openSqliteStore(dataDir, { now: () => nowMs });
    ledger = createLedger(store, async () => standingAt(nowMs));
    wallClock = vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  });
  afterEach(async () => {
    wallClock.mockRestore();
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const reserve = async (id: string) => {
    const record: PaymentRecord = {
      state: "reserved",
      txId: `${id}-one`,
      alternateId: `${id}-two`,
      payer: "alice",
      network: "chain:sandbox",
      expirationMs: nowMs + 10 * MINUTE_MS,
      amountMils: toMils(50),
      finality: "included",
      transaction: {} as PaymentRecord["transaction"],
      answeredTo: null,
    };
    const entry = await ledger.reserve(record);
    if (!entry) throw new Error("the ids are held already");
    return entry;
  };
  const keysOf = async (id: string) => {
    await ledger.forget();
    return (await store.list(`x402:payment:${id}`, 10)).length;
  };
  const settle = async (id: string) => ledger.change(await reserve(id), { state: "settled", blockNum: 1 });

  it("keeps a failed payment for an hour past its expiration, and others for seven days", async () => {
    const failed = await reserve("failed");
    await ledger.change(failed, { state: "failed", failure: "broadcast_rejected" });
    await settle("settled");
    nowMs += HOUR_MS + 9 * MINUTE_MS;
    expect([await keysOf("failed"), await keysOf("settled")]).toEqual([2, 2]);
    expect((await ledger.find("failed-two"))?.record.state).toBe("failed");
    nowMs += 2 * MINUTE_MS;
    expect([await keysOf("failed"), await keysOf("settled")]).toEqual([0, 2]);
    nowMs += 7 * DAY_MS;
    expect(await keysOf("settled")).toBe(0);
  });

  it("keeps both ids of a failed payment that is tried again", async () => {
    const entry = await reserve("again");
    const failed = await ledger.change(entry, { state: "failed", failure: "broadcast_rejected" });
    if (!failed) throw new Error("somebody else changed it");
    await ledger.change(failed, { state: "broadcast", failure: undefined });
    nowMs += 60 * DAY_MS;
    expect(await keysOf("again")).toBe(2);
  });

  it.each(["the machine's", "the chain's"])("does not drop a payment by %s clock alone", async (whose) => {
    await settle(whose);
    const chainMs = nowMs;
    nowMs += 8 * DAY_MS;
    if (whose === "the machine's") {
      const behind = createLedger(store, async () => standingAt(chainMs));
      await behind.forget();
    } else {
      wallClock.mockImplementationOnce(() => chainMs);
      await ledger.forget();
    }
    expect((await store.list(`x402:payment:${whose}`, 10)).length).toBe(2);
    expect(await keysOf(whose)).toBe(0);
  });

  it("drops more than a thousand payments in one run", async () => {
    for (let index = 0; index < 1200; index++) await settle(`many-${index}`);
    nowMs += 8 * DAY_MS;
    expect(await keysOf("many-")).toBe(0);
  });

  it("stores the field names of the first version, which older processes read", async () => {
    await reserve("shared");
    const stored = JSON.parse((await store.get("x402:payment:shared-one")) ?? "");
    expect(stored).toMatchObject({ txId: "shared-one", twinId: "shared-two", amountMillis: 50 });
    expect(stored).not.toHaveProperty("alternateId");
    expect(JSON.parse((await store.get("x402:payment:shared-two")) ?? "")).toEqual({ twinOf: "shared-one" });
  });

  it("reads records of an earlier version, and continues them", async () => {
    const stored = {
      ...{ state: "broadcast", txId: "former-one", twinId: "former-two", payer: "alice" },
      ...{
        network: "chain:sandbox",
        expirationMs: nowMs + MINUTE_MS,
        amountMillis: 50,
        finality: "included",
      },
      ...{ transaction: {}, answeredTo: null },
    };
    await store.set("x402:payment:former-one", JSON.stringify(stored));
    await store.set("x402:payment:former-two", JSON.stringify({ twinOf: "former-one" }));
    const entry = await ledger.find("former-two");
    expect(entry?.record).toMatchObject({
      ...{ txId: "former-one", alternateId: "former-two", amountMils: 50 },
    });
    if (entry) await ledger.change(entry, { state: "settled", blockNum: 1 });
    expect((await ledger.find("former-one"))?.record).toMatchObject({ state: "settled", blockNum: 1 });
    nowMs += 8 * DAY_MS;
    expect(await keysOf("former")).toBe(0);
  });

  it("lists an open record until it leaves the store, and then refuses to reread it", async () => {
    const entry = await reserve("lost");
    const ids = async () => (await ledger.listOpen()).map(({ record }) => record.txId);
    expect(await ids()).toContain("lost-one");
    await store.delete("x402:payment:lost-one");
    expect(await ids()).not.toContain("lost-one");
    expect(await store.range("x402:payments:open", Number.POSITIVE_INFINITY, 1000)).not.toContain("lost-one");
    await expect(ledger.reread(entry)).rejects.toMatchObject({ status: 503 });
  });
});
