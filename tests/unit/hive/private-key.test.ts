import { cryptoUtils, PrivateKey, Signature } from "@hiveio/dhive";
import { expect, test } from "vitest";
import { decodeWif, signDigest, signText } from "../../../lib/hive/private-key.ts";

const key = PrivateKey.fromSeed("a seed");
const wif = key.toString();
const replaced = (index: number) =>
  wif.slice(0, index) + (wif[index] === "2" ? "3" : "2") + wif.slice(index + 1);

test("signs with a private key in WIF, as Hive's own library confirms", () => {
  const digest = cryptoUtils.sha256("a text to sign");
  const secret = decodeWif(wif);
  const signature = signDigest(digest, secret ?? new Uint8Array());
  expect(key.createPublic().verify(digest, Signature.fromString(signature))).toBe(true);
});

test("signs the SHA-256 of a text in several scripts, as Hive's own library confirms", () => {
  const text = "Sign in as alice, señora, 你好 👋";
  const signature = Signature.fromString(signText(text, wif) ?? "");
  expect(key.createPublic().verify(cryptoUtils.sha256(text), signature)).toBe(true);
});

test.each([
  ["a key with a mistyped letter", replaced(20)],
  ["a key of another version", replaced(0)],
  ["a key with a letter missing", wif.slice(0, -1)],
  ["a public key", key.createPublic().toString()],
  ["an empty text", ""],
])("rejects %s as a private key", (_, text) => {
  expect(decodeWif(text)).toBeNull();
  expect(signText("a text", text)).toBeNull();
});
