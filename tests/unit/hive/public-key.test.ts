import dhive from "@hiveio/dhive";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  decodeBase58,
  decodePublicKey,
  encodeBase58,
  encodePublicKey,
} from "../../../lib/hive/public-key.ts";

test("converts base58 without loss, including leading zeros", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.nat(3), (tail, zeros) => {
      const bytes = Uint8Array.from([...new Array(zeros).fill(0), ...tail]);
      expect(decodeBase58(encodeBase58(bytes))).toEqual(bytes);
    }),
  );
  expect(decodeBase58("0OIl")).toBeNull();
});

test("converts keys as dhive does", () => {
  fc.assert(
    fc.property(fc.string(), (seed) => {
      const key = dhive.PrivateKey.fromSeed(seed).createPublic();
      expect(encodePublicKey(new Uint8Array(key.key))).toBe(key.toString());
      expect(decodePublicKey(key.toString())).toEqual(new Uint8Array(key.key));
    }),
    { numRuns: 30 },
  );
});

const good = dhive.PrivateKey.fromSeed("one").createPublic().toString();

test.each([
  ["a changed character", good.slice(0, 20) + (good[20] === "a" ? "b" : "a") + good.slice(21)],
  ["another prefix", `TST${good.slice(3)}`],
  ["no prefix", good.slice(3)],
  ["a missing character", good.slice(0, -1)],
  ["a trailing blank", `${good} `],
  ["no characters", ""],
  ["far too many characters", `STM${"z".repeat(100_000)}`],
])("refuses a key's text with %s", (_, text) => {
  expect(() => decodePublicKey(text)).toThrow();
});

test("reads the null key of accounts without an owner", () => {
  expect(decodePublicKey("STM1111111111111111111111111111111114T1Anm")).toEqual(new Uint8Array(33));
});
