import dhive from "@hiveio/dhive";
import { bytesToHex } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { Transaction as HiveTxTransaction } from "hive-tx";
import { describe, expect, test } from "vitest";
import type { Authority } from "../../../lib/hive/authority.ts";
import { packTransaction, signingDigest, transactionId } from "../../../lib/hive/packing.ts";
import type { Asset, Operation, UnsignedTransaction } from "../../../lib/hive/transaction.ts";

const MAINNET = `beeab0de${"0".repeat(56)}`;
const keyText = (seed: string) => dhive.PrivateKey.fromSeed(seed).createPublic().toString();

const names = fc.stringMatching(/^[a-z]{3,16}$/);
const texts = fc.string({ unit: "grapheme", maxLength: 200 });
const weights = fc.nat(0xffff);
const keys = fc.constantFrom(...["a", "b", "c", "d"].map(keyText));
const authorities: fc.Arbitrary<Authority> = fc.record({
  weight_threshold: fc.nat(),
  account_auths: fc.uniqueArray(fc.tuple(names, weights), { selector: ([name]) => name, maxLength: 3 }),
  key_auths: fc.uniqueArray(fc.tuple(keys, weights), { selector: ([key]) => key, maxLength: 1 }),
});
const optional = fc.option(authorities, { nil: undefined });
const transfers = fc.record({
  type: fc.constant("transfer" as const),
  from: names,
  to: names,
  amount: fc.record({
    amount: fc.bigInt({ min: 0n, max: 1_000_000_000_000n }),
    symbol: fc.constantFrom("HBD" as const, "HIVE" as const),
  }),
  memo: texts,
});
const creations: fc.Arbitrary<Operation> = fc.record({
  type: fc.constant("account_create" as const),
  fee: fc.record({ amount: fc.bigInt({ min: 0n, max: 1_000_000n }), symbol: fc.constant("HIVE" as const) }),
  creator: names,
  new_account_name: names,
  owner: authorities,
  active: authorities,
  posting: authorities,
  memo_key: keys,
  json_metadata: texts,
});
const others: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    type: fc.constant("account_update" as const),
    account: names,
    owner: optional,
    active: optional,
    posting: optional,
    memo_key: keys,
    json_metadata: texts,
  }),
  fc.record({
    type: fc.constant("account_update2" as const),
    account: names,
    owner: optional,
    active: optional,
    posting: optional,
    memo_key: fc.option(keys, { nil: undefined }),
    json_metadata: texts,
    posting_json_metadata: texts,
  }),
  fc.record({
    type: fc.constant("custom_json" as const),
    required_auths: fc.uniqueArray(names, { maxLength: 3 }),
    required_posting_auths: fc.uniqueArray(names, { maxLength: 3 }),
    id: texts,
    json: texts,
  }),
);
const transactions = (operations: fc.Arbitrary<Operation>): fc.Arbitrary<UnsignedTransaction> =>
  fc.record({
    refBlockNum: fc.nat(0xffff),
    refBlockPrefix: fc.nat(0xffffffff),
    expiration: fc.nat(0x7fffffff),
    operations: fc.array(operations, { minLength: 1, maxLength: 3 }),
  });

const sorted = (authority: Authority | undefined) =>
  authority && {
    ...authority,
    account_auths: [...authority.account_auths].sort(([a], [b]) => (a < b ? -1 : 1)),
  };

function assetText({ amount, symbol }: Asset): string {
  const digits = amount.toString().padStart(4, "0");
  return `${digits.slice(0, -3)}.${digits.slice(-3)} ${symbol}`;
}

/** Returns the transaction in the JSON that wallets sign, with sets and maps in the chain's order. */
function toJson(transaction: UnsignedTransaction) {
  return {
    ref_block_num: transaction.refBlockNum,
    ref_block_prefix: transaction.refBlockPrefix,
    expiration: new Date(transaction.expiration * 1000).toISOString().slice(0, 19),
    operations: transaction.operations.map(({ type, ...fields }) => {
      const body: Record<string, unknown> = { ...fields };
      if ("amount" in fields) body.amount = assetText(fields.amount);
      if ("fee" in fields) body.fee = assetText(fields.fee);
      if ("posting" in fields)
        for (const role of ["owner", "active", "posting"] as const) body[role] = sorted(fields[role]);
      if ("required_auths" in fields)
        for (const role of ["required_auths", "required_posting_auths"] as const)
          body[role] = [...fields[role]].sort();
      if (type === "account_update2") body.extensions = [];
      return [type, body];
    }),
    extensions: [],
  };
}

describe("legacy serialization", () => {
  test("computes the same digest and id as dhive for every operation", () => {
    fc.assert(
      fc.property(transactions(fc.oneof(transfers, creations, others)), (transaction) => {
        const json = toJson(transaction) as never;
        const packed = packTransaction(transaction, "legacy");
        const chainId = Buffer.from(MAINNET, "hex");
        expect(bytesToHex(signingDigest(packed, MAINNET))).toBe(
          dhive.cryptoUtils.transactionDigest(json, chainId).toString("hex"),
        );
        expect(transactionId(packed)).toBe(dhive.cryptoUtils.generateTrxId({ ...(json as object) } as never));
      }),
    );
  });

  test("computes the same digest and id as hive-tx for transfers", () => {
    fc.assert(
      fc.property(transactions(transfers), (transaction) => {
        const packed = packTransaction(transaction, "legacy");
        const judge = new HiveTxTransaction({ transaction: toJson(transaction) as never }).digest();
        expect(bytesToHex(signingDigest(packed, MAINNET))).toBe(bytesToHex(judge.digest));
        expect(transactionId(packed)).toBe(judge.txId);
      }),
    );
  });

  test("serializes amounts exactly even if floating point can't", () => {
    const pack = (amount: bigint) =>
      bytesToHex(packTransaction(transfer({ amount, symbol: "HBD" }), "legacy"));
    expect(pack(9_007_199_254_740_993n)).toContain("010000000000200003534244");
    expect(pack(2n ** 63n - 1n)).toContain("ffffffffffffff7f03534244");
    expect(() => pack(2n ** 63n)).toThrow(RangeError);
  });
});

const transfer = (
  amount: { amount: bigint; symbol: "HBD" | "HIVE" },
  memo = "",
  header: Partial<UnsignedTransaction> = {},
): UnsignedTransaction => ({
  refBlockNum: 1,
  refBlockPrefix: 2,
  expiration: 3,
  operations: [{ type: "transfer", from: "alice", to: "bob", amount, memo }],
  ...header,
});

describe("HF26 serialization", () => {
  test("differs from the legacy one only in the bytes of the asset's symbol", () => {
    const hbd = { amount: 50n, symbol: "HBD" as const };
    const legacy = bytesToHex(packTransaction(transfer(hbd, "memo"), "legacy"));
    const hf26 = bytesToHex(packTransaction(transfer(hbd, "memo"), "hf26"));
    expect(legacy).toContain("32000000000000000353424400000000");
    expect(hf26).toBe(legacy.replace("0353424400000000", "0320bcbe"));
    const hive = bytesToHex(packTransaction(transfer({ amount: 50n, symbol: "HIVE" }), "hf26"));
    expect(hive).toContain("32000000000000002320bcbe");
  });

  test("equals the legacy one for operations without amounts", () => {
    fc.assert(
      fc.property(transactions(others), (transaction) => {
        expect(packTransaction(transaction, "hf26")).toEqual(packTransaction(transaction, "legacy"));
      }),
      { numRuns: 30 },
    );
  });
});

test("packs sets alike, whatever their order", () => {
  const pack = (accounts: [string, number][], keyAuths: [string, number][], auths: string[]) =>
    packTransaction(
      transfer({ amount: 1n, symbol: "HBD" }, "", {
        operations: [
          {
            type: "account_update2",
            account: "alice",
            posting: { weight_threshold: 1, account_auths: accounts, key_auths: keyAuths },
            json_metadata: "",
            posting_json_metadata: "",
          },
          { type: "custom_json", required_auths: auths, required_posting_auths: [], id: "x", json: "{}" },
        ],
      }),
      "hf26",
    );
  const [a, b]: [string, number][] = [
    [keyText("a"), 1],
    [keyText("b"), 2],
  ];
  if (!a || !b) throw new Error("two keys");
  expect(
    pack(
      [
        ["bob", 1],
        ["abe", 2],
      ],
      [b, a],
      ["zoe", "bob"],
    ),
  ).toEqual(
    pack(
      [
        ["abe", 2],
        ["bob", 1],
      ],
      [a, b],
      ["bob", "zoe"],
    ),
  );
});

test.each([
  ["a block number over two bytes", { refBlockNum: 65536 }],
  ["a fraction", { refBlockNum: 1.5 }],
  ["a negative prefix", { refBlockPrefix: -1 }],
  ["a prefix over four bytes", { refBlockPrefix: 2 ** 32 }],
  ["a time that is not a number", { expiration: Number.NaN }],
])("packTransaction refuses %s", (_, header) => {
  expect(() => packTransaction(transfer({ amount: 1n, symbol: "HBD" }, "", header), "legacy")).toThrow(
    RangeError,
  );
});

test("packTransaction refuses half a surrogate pair, and a malformed key", () => {
  expect(() => packTransaction(transfer({ amount: 1n, symbol: "HBD" }, "\ud800"), "hf26")).toThrow(
    RangeError,
  );
  const update: Operation = { type: "account_update", account: "alice", memo_key: "STM1", json_metadata: "" };
  const header = { operations: [update] };
  expect(() => packTransaction(transfer({ amount: 1n, symbol: "HBD" }, "", header), "hf26")).toThrow(
    "public key",
  );
});
