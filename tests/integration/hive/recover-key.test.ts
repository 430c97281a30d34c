import { execFile } from "node:child_process";
import { promisify } from "node:util";
import dhive from "@hiveio/dhive";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { PrivateKey as HiveTxPrivateKey } from "hive-tx";
import { expect, test } from "vitest";
import { recoverInJavascript } from "../../../lib/hive/recover-in-javascript.ts";
import { recoverPublicKey, recoveryImplementation } from "../../../lib/hive/recover-key.ts";
import { isChainCanonical, parseSignature } from "../../../lib/hive/transaction.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
const seeds = fc.string({ minLength: 1 });

function parse(hex: string): Uint8Array {
  const signature = parseSignature(hex);
  if (!signature) throw new Error("not a signature");
  return signature;
}

/**
 * Returns the other valid signature of the same key and digest: s is negated, and the parity bit of the
 * recovery id flipped.
 */
function malleate(signature: Uint8Array): Uint8Array {
  const s = ORDER - BigInt(`0x${bytesToHex(signature.subarray(33))}`);
  const malleated = Uint8Array.from(signature);
  malleated[0] = (((signature[0] ?? 0) - 31) ^ 1) + 31;
  malleated.set(hexToBytes(s.toString(16).padStart(64, "0")), 33);
  return malleated;
}

const withBinary = ["linux-x64", "darwin-arm64", "win32-x64"];
test.runIf(withBinary.includes(`${process.platform}-${process.arch}`))(
  "recovers keys with compiled code if the package has a binary",
  () => {
    expect(recoveryImplementation()).toBe("native");
  },
);

test("recovers keys in JavaScript without a binary, with a warning at the first check", async () => {
  const preload = `
    import Module from "node:module";
    const resolve = Module._resolveFilename;
    Module._resolveFilename = function (name, ...more) {
      if (String(name).startsWith("secp256k1")) throw new Error("no binary");
      return resolve.call(this, name, ...more);
    };`;
  const preloads = ["tsx", `data:text/javascript,${encodeURIComponent(preload)}`];
  const run = async (use: string) => {
    const script = `import("./lib/hive/recover-key.ts").then((all) => console.log(${use}))`;
    const given = preloads.flatMap((name) => ["--import", name]);
    return promisify(execFile)(process.execPath, [...given, "-e", script]);
  };
  const { stdout, stderr } = await run("all.recoveryImplementation()");
  expect(stdout.trim()).toBe("javascript");
  expect(stderr).toContain("HIVEGATE_SLOW_CRYPTO");
  expect(stderr).toContain("npm install secp256k1");
  expect((await run("typeof all.recoverPublicKey")).stderr).toBe("");
});

test("recovers the key of dhive's signatures, natively and in JavaScript", () => {
  fc.assert(
    fc.property(digests, seeds, (digest, seed) => {
      const key = dhive.PrivateKey.fromSeed(seed);
      const signature = parse(key.sign(Buffer.from(digest)).toString());
      const expected = new Uint8Array(key.createPublic().key);
      expect(recoverPublicKey(digest, signature)).toEqual(expected);
      expect(recoverInJavascript(digest, signature.subarray(1), (signature[0] ?? 0) - 31)).toEqual(expected);
      expect(isChainCanonical(signature)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("recovers the key of hive-tx's signatures", () => {
  fc.assert(
    fc.property(digests, seeds, (digest, seed) => {
      const key = HiveTxPrivateKey.fromSeed(`seed ${seed}`);
      const signature = parse(key.sign(digest).customToString());
      expect(recoverPublicKey(digest, signature)).toEqual(key.createPublic().key);
      expect(isChainCanonical(signature)).toBe(true);
    }),
    { numRuns: 40 },
  );
});

test("recovers the same key from a signature with s negated, natively and in JavaScript", () => {
  fc.assert(
    fc.property(digests, seeds, (digest, seed) => {
      const key = dhive.PrivateKey.fromSeed(seed);
      const malleated = malleate(parse(key.sign(Buffer.from(digest)).toString()));
      const expected = new Uint8Array(key.createPublic().key);
      expect(recoverPublicKey(digest, malleated)).toEqual(expected);
      expect(recoverInJavascript(digest, malleated.subarray(1), (malleated[0] ?? 0) - 31)).toEqual(expected);
    }),
    { numRuns: 20 },
  );
});

test("accepts a signature's first byte even if it is 4 lower, and refuses those outside 27 to 34", () => {
  const digest = new Uint8Array(32).fill(7);
  const key = dhive.PrivateKey.fromSeed("first byte");
  const signature = parse(key.sign(Buffer.from(digest)).toString());
  const withFirst = (first: number) => Uint8Array.from([first, ...signature.subarray(1)]);
  const first = signature[0] ?? 0;
  expect(recoverPublicKey(digest, withFirst(first - 4))).toEqual(new Uint8Array(key.createPublic().key));
  for (const wrong of [0, 26, 35, 255]) expect(recoverPublicKey(digest, withFirst(wrong))).toBeNull();
});

test("finds no key in signatures that are all zeros, beyond the order or too short", () => {
  const digest = new Uint8Array(32).fill(1);
  for (const fill of [0, 255]) {
    const signature = new Uint8Array(65).fill(fill);
    signature[0] = 31;
    expect(recoverPublicKey(digest, signature)).toBeNull();
  }
  expect(recoverPublicKey(digest, new Uint8Array(64))).toBeNull();
});

test("finds the same key, or none, in arbitrary bytes natively and in JavaScript", () => {
  fc.assert(
    fc.property(
      digests,
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      fc.nat(3),
      (digest, compact, id) => {
        const slow = (() => {
          try {
            return recoverInJavascript(digest, compact, id);
          } catch {
            return null;
          }
        })();
        expect(recoverPublicKey(digest, Uint8Array.from([31 + id, ...compact]))).toEqual(slow);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["1f", 129],
  ["1F", 130],
  ["1f", 132],
])("rejects the signature %s... with %i digits", (start, length) => {
  expect(parseSignature(start.padEnd(length, "0"))).toBeNull();
});

test("rejects signatures with non-hex letters or a trailing line end", () => {
  expect(parseSignature("g".repeat(130))).toBeNull();
  expect(parseSignature(`${"0".repeat(130)}\n`)).toBeNull();
});

const canonicalS = (head: string) => {
  const signature = new Uint8Array(65).fill(0x11);
  signature.set(hexToBytes(head), 33);
  return isChainCanonical(signature);
};

test("compares s with the bytes of n/2 in the chain's order: a0201b68... is the limit", () => {
  const limit = "a0201b68462fe9df1d50a457736e575dffffffffffffffffffffffffffffff7f";
  expect(canonicalS(limit)).toBe(true);
  expect(canonicalS(`${limit.slice(0, -2)}80`)).toBe(false);
  expect(canonicalS("9e")).toBe(true);
  expect(canonicalS("a0201b67")).toBe(true);
  expect(canonicalS("a0201b69")).toBe(false);
  expect(canonicalS("b2")).toBe(false);
});
