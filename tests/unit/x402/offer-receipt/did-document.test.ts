import { expect, test } from "vitest";
import { createDidDocument } from "#lib/x402/index.ts";
import { signing } from "../../../harness/signing-key.ts";

const kid = "did:web:shop.example#key-1";
const next = { privateKey: "07".repeat(32), kid: "did:web:shop.example#key-2" };

test("lists former keys behind the one that signs", () => {
  const former = createDidDocument({ ...signing, kid }).verificationMethod;
  const document = createDidDocument(next, former);
  expect(document.verificationMethod.map(({ id }) => id)).toEqual([next.kid, kid]);
  expect(document.verificationMethod[1]).toEqual(former[0]);
  expect(document.assertionMethod).toEqual([next.kid]);
});

test.each([
  "did:key:z6Mk#z6Mk",
  "did:web:shop.example:4000#key-1",
  "did:web:shop.example:users:alice#key-1",
  "did:web:Shop.Example#key-1",
  "did:web:shop.example/path#key-1",
])("publishes no key under the name %s", (name) => {
  expect(() => createDidDocument({ ...signing, kid: name })).toThrow("signing.kid must be a did:web");
});

test("publishes no key without a name", () => {
  expect(() => createDidDocument(signing)).toThrow("signing.kid must be a did:web");
});

test.each([
  ["of another site", { id: "did:web:other.example#key-1" }],
  ["without a key", { publicKeyJwk: { kty: "OKP", crv: "Ed25519", x: "" } }],
  ["with the name of the new one", { id: next.kid }],
])("refuses a former key %s", (_what, change) => {
  const [former] = createDidDocument({ ...signing, kid }).verificationMethod;
  expect(() => createDidDocument(next, [{ ...former, ...change } as never])).toThrow(TypeError);
});

test("publishes nothing of a former key but its public part", () => {
  const [former] = createDidDocument({ ...signing, kid }).verificationMethod;
  const leaky = { ...former, note: "x", publicKeyJwk: { ...former?.publicKeyJwk, d: "secret" } };
  expect(JSON.stringify(createDidDocument(next, [leaky as never]))).not.toMatch(/secret|note/);
});
