import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePayment, encodePayment } from "../../../lib/x402/codec.ts";
import type { PaymentPayload } from "../../../lib/x402/types.ts";

const payment: PaymentPayload = {
  x402Version: 1,
  scheme: "exact",
  network: "chain:mainnet",
  payload: {
    signedTransaction: {
      ref_block_num: 1,
      ref_block_prefix: 2,
      expiration: "2026-01-31T12:00:00",
      operations: [["transfer", { from: "alice", to: "shop", amount: "0.050 HBD", memo: "x402:nonce" }]],
      extensions: [],
      signatures: ["20".padEnd(130, "a")],
    },
    nonce: "0123456789abcdef",
  },
};
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");

describe("x-payment header", () => {
  test("encodes the payment's JSON as base64", () => {
    expect(JSON.parse(Buffer.from(encodePayment(payment), "base64").toString("utf8"))).toEqual(payment);
    expect(decodePayment(encode(payment))).toEqual(payment);
  });

  test("decodes every payment that it encodes", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    const payments = fc.record({
      x402Version: fc.integer(),
      scheme: text,
      network: text,
      payload: fc.record({
        nonce: text,
        signedTransaction: fc.record({
          ref_block_num: fc.nat(0xffff),
          ref_block_prefix: fc.nat(0xffffffff),
          expiration: text,
          operations: fc.constant<unknown[]>([["transfer", { memo: "Grüße, 世界 🎈" }]]),
          extensions: fc.constant<unknown[]>([]),
          signatures: fc.array(text, { maxLength: 8 }),
        }),
      }),
    });
    fc.assert(
      fc.property(payments, (one) => {
        expect(decodePayment(encodePayment(one))).toEqual(one);
      }),
    );
  });

  test("refuses anything but strict base64 of UTF-8 JSON", () => {
    const good = encodePayment(payment);
    const bad = [
      ...["", "!", "x", "a===", `${good}\n`, ` ${good}`, good.replace(/=*$/, "-="), good.slice(0, -1)],
      Buffer.from("{").toString("base64"),
      Buffer.from([0xff, 0xfe, 0x7b]).toString("base64"),
      Buffer.from(JSON.stringify(payment)).toString("base64url").replaceAll("A", "-"),
      Buffer.from(`\uFEFF${JSON.stringify(payment)}`).toString("base64"),
    ];
    for (const text of bad) expect(() => decodePayment(text), text).toThrow(SyntaxError);
    for (const other of [null, undefined, 5, {}])
      expect(() => decodePayment(other as unknown as string)).toThrow(SyntaxError);
  });

  test("refuses other base64 spellings, such as stray bits after the last byte", () => {
    const text = Buffer.from(`${JSON.stringify(payment)} `).toString("base64");
    const padded = text.endsWith("=") ? text : Buffer.from(`${JSON.stringify(payment)}  `).toString("base64");
    expect(padded).toMatch(/=$/);
    const last = padded.replace(/=+$/, "").length - 1;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const other = alphabet[alphabet.indexOf(padded.charAt(last)) + 1];
    expect(() => decodePayment(padded.slice(0, last) + other + padded.slice(last + 1))).toThrow(SyntaxError);
  });

  test("refuses anything but a payment", () => {
    const { payload } = payment;
    const values = [null, [], 1, "text", {}, { ...payment, payload: null }, { ...payment, x402Version: "1" }];
    const nonces = [null, 1, ["a"], undefined].map((nonce) => ({
      ...payment,
      payload: { ...payload, nonce },
    }));
    const extra = { ...payload.signedTransaction, more: 1 };
    const transactions = [null, "text", extra, { ...payload.signedTransaction, signatures: [1] }];
    for (const value of [
      ...values,
      ...nonces,
      ...transactions.map((signedTransaction) => ({
        ...payment,
        payload: { ...payload, signedTransaction },
      })),
    ])
      expect(() => decodePayment(encode(value)), JSON.stringify(value)).toThrow(SyntaxError);
  });

  test("refuses more than 8 KiB, both to encode and to decode", () => {
    const long = { ...payment, scheme: "x".repeat(8192) };
    expect(() => encodePayment(long)).toThrow(RangeError);
    expect(() => decodePayment(encode(long))).toThrow(SyntaxError);
  });

  test("refuses deeper nesting than any message has", () => {
    const deep = `{"payload":${"[".repeat(2900)}${"]".repeat(2900)}}`;
    expect(() => decodePayment(Buffer.from(deep).toString("base64"))).toThrow(SyntaxError);
    const withOperation = (depth: number) => {
      const operation = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const text = JSON.stringify(payment).replace('"operations":[', `"operations":[${operation},`);
      return Buffer.from(text).toString("base64");
    };
    expect(decodePayment(withOperation(8)).payload.signedTransaction.operations).toHaveLength(2);
    expect(() => decodePayment(withOperation(2000))).toThrow(SyntaxError);
    expect(() => decodePayment(Buffer.from("[".repeat(6000)).toString("base64"))).toThrow(SyntaxError);
  });

  test("does not count brackets in texts as nesting", () => {
    const brackets = { ...payment, scheme: '"[\\[{'.repeat(20) };
    expect(decodePayment(encodePayment(brackets))).toEqual(brackets);
  });
});
