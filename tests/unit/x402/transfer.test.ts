import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readTransfer } from "../../../lib/x402/transfer.ts";

const signature = `20${"1".repeat(128)}`;
const fields = { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:0123456789abcdef" };
const good = {
  ref_block_num: 1,
  ref_block_prefix: 2,
  expiration: "2026-11-21T03:13:27",
  operations: [["transfer", fields]],
  extensions: [],
  signatures: [signature],
};
const withTransfer = (change: object) => ({ ...good, operations: [["transfer", { ...fields, ...change }]] });
const nai = (asset: unknown) => ({
  ...good,
  operations: [{ type: "transfer_operation", value: { ...fields, amount: asset } }],
});

describe("signed transfers", () => {
  test("reads a transfer with both ids and rebuilds it from its checked fields", () => {
    const transfer = readTransfer(good);
    if (typeof transfer === "string") throw new Error(transfer);
    expect(transfer).toMatchObject({ from: "alice", to: "shop", amountMils: 50, memo: fields.memo });
    expect(transfer.expirationMs).toBe(Date.UTC(2026, 10, 21, 3, 13, 27));
    expect(transfer.ids.legacy).toMatch(/^[0-9a-f]{40}$/);
    expect(transfer.ids.hf26).not.toBe(transfer.ids.legacy);
    expect(transfer.transaction).toEqual(good);
  });

  test("reads the form with numeric asset ids as the same transfer", () => {
    const amount = { amount: "50", precision: 3, nai: "@@000000013" };
    expect(readTransfer(nai(amount))).toMatchObject({ transaction: good });
  });

  test("accepts eight signatures, but not nine", () => {
    const signed = (count: number) => ({ ...good, signatures: Array<string>(count).fill(signature) });
    expect(readTransfer(signed(8))).toMatchObject({ transaction: signed(8) });
    expect(readTransfer(signed(9))).toBe("signature_invalid");
  });

  const malformed: Array<[string, unknown]> = [
    ["a text in place of an object", "text"],
    ["a key that the chain would drop", { ...good, extra: 1 }],
    ["a key in the operation that the chain would drop", withTransfer({ extra: 1 })],
    ["a missing memo", withTransfer({ memo: undefined })],
    ["an extension", { ...good, extensions: [1] }],
    ["no operation", { ...good, operations: [] }],
    ["two operations", { ...good, operations: [good.operations[0], good.operations[0]] }],
    ["another operation", { ...good, operations: [["vote", fields]] }],
    ["an operation by its number", { ...good, operations: [[2, fields]] }],
    ["a blank in place of the T", { ...good, expiration: "2026-11-21 03:13:27" }],
    ["a date alone", { ...good, expiration: "2026-11-21" }],
    ["a time zone", { ...good, expiration: "2026-11-21T03:13:27Z" }],
    ["milliseconds", { ...good, expiration: "2026-11-21T03:13:27.000" }],
    ["30 February", { ...good, expiration: "2026-02-30T03:13:27" }],
    ["a time beyond 32 bits", { ...good, expiration: "2107-01-01T00:00:00" }],
    ["a time before 1970", { ...good, expiration: "1969-12-31T23:59:59" }],
    ["a reference out of range", { ...good, ref_block_num: 65_536 }],
    ["a fractional reference", { ...good, ref_block_prefix: 1.5 }],
    ["a payer that is no account name", withTransfer({ from: "Alice" })],
    ["a payee that is no account name", withTransfer({ to: "shop " })],
    ["signatures that are no list", { ...good, signatures: signature }],
    ["signatures that are no texts", { ...good, signatures: [{}] }],
  ];
  test.each(malformed)("refuses a transfer with %s as invalid_payload", (_, transaction) => {
    expect(readTransfer(transaction)).toBe("invalid_payload");
  });

  const badAmounts = ["0.05 HBD", "1 HBD", "1.0000 HBD", "1,000 HBD", "1e3 HBD", "0x1 HBD", "-1.000 HBD"];
  badAmounts.push("+1.000 HBD", "01.000 HBD", ".050 HBD", "1.000 HBD x", "0.050\nHBD", "0.050  HBD");
  badAmounts.push(" 0.050 HBD", "0.050 hbd", "", "1000000000000.000 HBD", "0.000 HBD");
  test.each(badAmounts)("refuses a transfer of %j as invalid_amount", (amount) => {
    expect(readTransfer(withTransfer({ amount }))).toBe("invalid_amount");
  });

  test.each([
    [5],
    [null],
    [[]],
    [{ amount: 50, precision: 3, nai: "@@000000013" }],
    [{ amount: "050", precision: 3, nai: "@@000000013" }],
    [{ amount: "50", precision: 2, nai: "@@000000013" }],
    [{ amount: "50", precision: 3, nai: "@@000000013", more: 1 }],
  ])("refuses the amount %j as invalid_amount in a transfer with numeric asset ids", (amount) => {
    expect(readTransfer(nai(amount))).toBe("invalid_amount");
  });

  test("refuses another asset as asset_mismatch in both forms", () => {
    expect(readTransfer(withTransfer({ amount: "0.050 HIVE" }))).toBe("asset_mismatch");
    expect(readTransfer(withTransfer({ amount: "0.050 SBD" }))).toBe("asset_mismatch");
    expect(readTransfer(nai({ amount: "50", precision: 3, nai: "@@000000021" }))).toBe("asset_mismatch");
  });

  test("refuses a transfer without a signature as signature_missing", () => {
    expect(readTransfer({ ...good, signatures: [] })).toBe("signature_missing");
  });

  test.each([
    ["too short", ["20"]],
    ["junk after the digits", [`${signature}zz`]],
    ["upper case", [`1F${"A".repeat(128)}`]],
    ["nine of them", Array.from({ length: 9 }, () => signature)],
  ])("refuses malformed signatures as signature_invalid: %s", (_, signatures) => {
    expect(readTransfer({ ...good, signatures })).toBe("signature_invalid");
  });

  test.each([
    ["the first half of a surrogate pair", "x402:0123456789abcde\ud800"],
    ["the second half of a surrogate pair", "\udfff"],
    ["2048 bytes", "x".repeat(2048)],
    ["2048 bytes in fewer characters", "ü".repeat(1024)],
  ])("refuses a memo of %s, which the chain cannot hold, as memo_invalid", (_, memo) => {
    expect(readTransfer(withTransfer({ memo }))).toBe("memo_invalid");
  });

  test.each([
    ["2047 bytes", "x".repeat(2047)],
    ["whole surrogate pairs", "\ud83d\ude00".repeat(511)],
    ["a NUL", "a\0b"],
  ])("reads a memo of %s unchanged", (_, memo) => {
    expect(readTransfer(withTransfer({ memo }))).toMatchObject({ memo });
  });

  test("reads any JSON, or refuses it with a reason", () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("\ud800", "\udc00", "\0", "ü", "x402:"),
    );
    const text = fc.string({ unit, maxLength: 40 });
    const junk = fc.oneof(
      fc.jsonValue(),
      text,
      fc.array(text, { maxLength: 9 }),
      fc.dictionary(text, fc.jsonValue()),
    );
    /** Returns the valid value, or junk in its place. */
    const or = (value: unknown) => fc.oneof({ weight: 15, arbitrary: fc.constant(value) }, junk);
    const amount = fc.oneof(
      or("0.050 HBD"),
      fc.record({ amount: or("50"), precision: or(3), nai: or("@@000000013") }),
    );
    const memo = fc.oneof({ weight: 9, arbitrary: text }, junk);
    const transfer = fc.record({ from: or("alice"), to: or("shop"), amount, memo });
    const operation = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(or("transfer"), transfer) },
      { weight: 3, arbitrary: fc.record({ type: or("transfer_operation"), value: transfer }) },
      junk,
    );
    const transaction = fc.record({
      ref_block_num: or(1),
      ref_block_prefix: or(2),
      expiration: or(good.expiration),
      operations: fc.oneof({ weight: 9, arbitrary: fc.tuple(operation) }, fc.array(operation), junk),
      extensions: or([]),
      signatures: fc.oneof(fc.array(or(signature), { maxLength: 9 }), junk),
    });
    const faults = [
      ...["invalid_payload", "invalid_amount", "asset_mismatch", "memo_invalid"],
      ...["signature_missing", "signature_invalid"],
    ];
    fc.assert(
      fc.property(fc.oneof({ weight: 15, arbitrary: transaction }, junk), (input) => {
        const read = readTransfer(input);
        if (typeof read === "string") expect(faults).toContain(read);
        else expect(readTransfer(read.transaction)).toEqual(read);
      }),
      { numRuns: 1000 },
    );
  });
});
