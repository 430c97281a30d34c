import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createReceipts } from "#lib/wallet/receipts.ts";

test("stores the longest signed receipts, with their faults", async () => {
  const folder = await mkdtemp(join(tmpdir(), "receipts-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const receipts = createReceipts(join(folder, "receipts.jsonl"));
  const made = {
    ...{
      url: "https://shop.example/report?key=1",
      payTo: "shop",
      amount: "0.050 HBD",
      network: "hive:mainnet",
    },
    ...{ status: 200, txId: null, isRepeat: false },
  };
  const signedReceipt = "e".repeat(8192);
  await receipts.add({ ...made, signedReceipt });
  const faulty = {
    ...({ signedReceipt: null, receiptFault: "receipt_unverifiable" } as const),
    refusedReceipt: signedReceipt,
  };
  await receipts.add({ ...made, ...faulty });
  const [last, first] = await receipts.list(2);
  expect(first).toMatchObject({ url: "https://shop.example/report", signedReceipt });
  expect(last).toMatchObject(faulty);
});
