import { decode, resolveTransaction } from "hive-uri";
import { expect, test } from "vitest";
import { transferUri } from "#lib/x402/hive-uri.ts";

test("wallets read a link as one transfer from the account that opens it", () => {
  const link = transferUri({ to: "shop", amount: "0.050 HBD", memo: "x402:ABC?~ñ" });
  const { tx, params } = decode(link);
  expect(params).toEqual({});
  const opened = resolveTransaction(tx, params, {
    ...{ signers: ["alice"], preferred_signer: "alice" },
    ...{ ref_block_num: 1, ref_block_prefix: 2, expiration: "2026-01-31T12:00:00" },
  });
  expect(opened.tx.operations).toEqual([
    ["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:ABC?~ñ" }],
  ]);
});
