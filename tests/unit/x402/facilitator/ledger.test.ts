import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createSqliteStore } from "../../../../lib/store/sqlite-store.ts";
import { createLedger } from "../../../../lib/x402/facilitator/ledger.ts";
import type { PaymentRecord } from "../../../../lib/x402/facilitator/payment-record.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe("the record of a payment", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "hivegate-ledger-"));
  let nowMs = Date.now();
  const store = createSqliteStore({ dataDir, now: () => nowMs });
  const ledger = createLedger(store);
  afterAll(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const reserve = async (id: string) => {
    const record: PaymentRecord = {
      state: "reserved",
      txId: `${id}-one`,
      twinId: `${id}-two`,
      payer: "alice",
      network: "chain:sandbox",
      expirationMs: Date.now() + 10 * MINUTE_MS,
      amountMillis: 50,
      finality: "included",
      transaction: {} as PaymentRecord["transaction"],
      answeredTo: null,
    };
    const entry = await ledger.reserve(record);
    if (!entry) throw new Error("the ids are held already");
    return entry;
  };
  const keysOf = async (id: string) => (await store.list(`x402:payment:${id}`, 10)).length;

  it("is kept until an hour after its end when the payment failed, and seven days otherwise", async () => {
    const [failed, settled] = [await reserve("failed"), await reserve("settled")];
    await ledger.change(failed, { state: "failed", failure: "broadcast_rejected" });
    await ledger.change(settled, { state: "settled", blockNum: 1 });
    nowMs += HOUR_MS + 9 * MINUTE_MS;
    expect([await keysOf("failed"), await keysOf("settled")]).toEqual([2, 2]);
    expect((await ledger.find("failed-two"))?.record.state).toBe("failed");
    nowMs += 2 * MINUTE_MS;
    expect([await keysOf("failed"), await keysOf("settled")]).toEqual([0, 2]);
    nowMs += 7 * DAY_MS;
    expect(await keysOf("settled")).toBe(0);
  });

  it("lives on as long as others, with both its ids, when what failed is tried again", async () => {
    const entry = await reserve("again");
    const failed = await ledger.change(entry, { state: "failed", failure: "broadcast_rejected" });
    if (!failed) throw new Error("somebody else changed it");
    await ledger.change(failed, { state: "broadcast", failure: undefined });
    nowMs += 6 * DAY_MS;
    expect(await keysOf("again")).toBe(2);
  });

  it("is looked for under a mark for a minute before the mark counts as left behind by a crash", async () => {
    const markedAtMs = Date.now();
    const mark = "x402:open:never-reserved";
    const clock = vi.spyOn(Date, "now");
    try {
      await store.set(mark, String(markedAtMs));
      clock.mockReturnValue(markedAtMs + MINUTE_MS);
      await ledger.listUnfinished();
      expect(await store.get(mark)).not.toBeNull();
      clock.mockReturnValue(markedAtMs + MINUTE_MS + 1);
      await ledger.listUnfinished();
      expect(await store.get(mark)).toBeNull();
    } finally {
      clock.mockRestore();
    }
  });
});
