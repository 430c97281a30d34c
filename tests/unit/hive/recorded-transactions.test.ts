import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packTransaction, signingDigest, transactionId } from "../../../lib/hive/packing.ts";
import { encodePublicKey } from "../../../lib/hive/public-key.ts";
import { recoverPublicKey } from "../../../lib/hive/recover-key.ts";
import { parseTransaction } from "../../../sandbox/chain/parse/transaction.ts";

const TEST_NETWORK_ID = "18dcf0a285365fc58b71f18b3d3fec954aa0c141c44e4e5cb4cf777b9eab274e";
const names = { hbd: "TBD", hive: "TESTS" } as const;

type Frame = { data: Record<string, unknown> };
type Recorded = { error?: { data?: { stack?: Frame[] } } };

/** Recorded refusals contain the transaction, and the keys or the id that the node computed for it. */
const cases = Object.entries(
  JSON.parse(readFileSync(new URL("../../data/hived-answers.json", import.meta.url), "utf8")) as Record<
    string,
    Recorded
  >,
).map(([name, answer]) => {
  const data = (answer.error?.data?.stack ?? []).map((frame) => frame.data);
  const first = (key: string) => data.map((fields) => fields[key]).find((value) => value !== undefined);
  return {
    name,
    json: first("full_transaction->get_transaction()") ?? first("trx"),
    keys: first("sigs") as string[] | undefined,
    id: first("trx_id") as string | undefined,
  };
});
const withKeys = cases.filter(({ json, keys }) => json && keys?.length);
const withId = cases.filter(({ json, id }) => json && id);

test("enough transactions are recorded", () => {
  expect(withKeys.length).toBeGreaterThan(8);
  expect(withId.length).toBeGreaterThan(3);
});

test.each(withKeys)("recovers the keys that a real node recovered: $name", ({ name, json, keys }) => {
  // With an unknown signer, the check ends at the first packing that a node tries.
  const packing = name === "unknown from" ? "hf26" : "legacy";
  const transaction = parseTransaction(json, names);
  const digest = signingDigest(packTransaction(transaction, packing, names), TEST_NETWORK_ID);
  const recovered = transaction.signatures.map((signature) => recoverPublicKey(digest, signature));
  expect(recovered.map((key) => key && encodePublicKey(key))).toEqual(keys);
});

test.each(withId)("computes the id that a real node computed: $name", ({ json, id }) => {
  const transaction = parseTransaction(json, names);
  const ids = (["legacy", "hf26"] as const).map((packing) =>
    transactionId(packTransaction(transaction, packing, names)),
  );
  expect(ids).toContain(id);
});

test("computes the HF26 id for the transaction in the HF26 serialization", () => {
  const modern = cases.find(({ name }) => name.startsWith("same hf26-signed tx"));
  expect(transactionId(packTransaction(parseTransaction(modern?.json, names), "hf26"))).toBe(modern?.id);
});
