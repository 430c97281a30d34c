import { secp256k1 } from "@noble/curves/secp256k1.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sandboxAccounts } from "#sandbox/accounts.ts";
import { type PaymentOptions, signPayment } from "../../../harness/sign-payment.ts";
import { secretOf } from "../../../harness/sign-transaction.ts";
import { startFacilitator } from "../../../harness/start-facilitator.ts";
import { type SandboxChain, startSandboxChain } from "../../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
let facilitator: Awaited<ReturnType<typeof startFacilitator>>;
beforeAll(async () => {
  chain = await startSandboxChain();
  facilitator = await startFacilitator(chain);
});
afterAll(async () => {
  await facilitator?.close();
  await chain?.close();
});

const activeKey = (name: string) =>
  sandboxAccounts.find((account) => account.name === name)?.keys.active.publicKey ?? "";
const key = (name: string) => secretOf(name, "active");
type Members = Array<[string, number]>;
const authority = (weight_threshold: number, key_auths: Members, account_auths: Members = []) => ({
  weight_threshold,
  key_auths,
  account_auths,
});

/** Returns the facilitator's and the chain's verdicts on the same transaction. */
async function judge(
  options: PaymentOptions,
  change: (transaction: Record<string, unknown>) => void = () => {},
) {
  const { request } = await signPayment(chain, options);
  const { signedTransaction } = request.paymentPayload.payload;
  change(signedTransaction);
  const { isValid, invalidReason } = await facilitator.verify(request);
  const isTakenByChain = await chain.call("condenser_api.broadcast_transaction", [signedTransaction]).then(
    () => true,
    () => false,
  );
  return { isValid, isTakenByChain, ...(invalidReason !== undefined && { invalidReason }) };
}
const valid = { isValid: true, isTakenByChain: true };
const refused = (invalidReason: string) => ({ isValid: false, isTakenByChain: false, invalidReason });

describe("the payer's authority, as the chain judges it", () => {
  beforeEach(() =>
    chain.setAccount({ name: "carol", hbdMils: 10_000, active: authority(1, [[activeKey("carol"), 1]]) }),
  );

  test("requires the threshold's weight, not just a key of the account", async () => {
    const active = authority(
      2,
      [
        [activeKey("carol"), 1],
        [activeKey("bob"), 1],
      ].sort() as Members,
    );
    await chain.setAccount({ name: "carol", active });
    expect(await judge({ from: "carol", keys: [key("carol")] })).toEqual(refused("authority_not_satisfied"));
    expect(await judge({ from: "carol", keys: [key("carol"), key("bob")] })).toEqual(valid);
  });

  test("compares a key's weight with the threshold", async () => {
    await chain.setAccount({ name: "carol", active: authority(10, [[activeKey("carol"), 1]]) });
    expect(await judge({ from: "carol" })).toEqual(refused("authority_not_satisfied"));
    await chain.setAccount({ name: "carol", active: authority(10, [[activeKey("carol"), 10]]) });
    expect(await judge({ from: "carol" })).toEqual(valid);
  });

  test.each(["legacy", "hf26"] as const)(
    "follows only the active authorities of other accounts, in %s packing",
    async (packing) => {
      await chain.setAccount({ name: "carol", active: authority(1, [], [["bob", 1]]) });
      expect(await judge({ from: "carol", keys: [key("bob")], packing })).toEqual(valid);
      expect(await judge({ from: "carol", keys: [key("alice")], packing })).toEqual(
        refused("authority_not_satisfied"),
      );
      expect(await judge({ from: "carol", keys: [secretOf("bob", "owner")], packing })).toEqual(
        refused("authority_not_satisfied"),
      );
    },
  );

  test("follows authorities two accounts deep and no deeper", async () => {
    await chain.setAccount({ name: "deep-one", active: authority(1, [], [["deep-two", 1]]) });
    await chain.setAccount({ name: "deep-two", active: authority(1, [], [["bob", 1]]) });
    await chain.setAccount({ name: "carol", active: authority(1, [], [["deep-two", 1]]) });
    expect(await judge({ from: "carol", keys: [key("bob")] })).toEqual(valid);
    await chain.setAccount({ name: "carol", active: authority(1, [], [["deep-one", 1]]) });
    expect(await judge({ from: "carol", keys: [key("bob")] })).toEqual(refused("authority_not_satisfied"));
  });

  test("does not loop on accounts that name each other", async () => {
    await chain.setAccount({ name: "ring-one", active: authority(1, [], [["ring-two", 1]]) });
    await chain.setAccount({ name: "ring-two", active: authority(1, [], [["ring-one", 1]]) });
    await chain.setAccount({ name: "carol", active: authority(1, [], [["ring-one", 1]]) });
    expect(await judge({ from: "carol", keys: [key("bob")] })).toEqual(refused("authority_not_satisfied"));
  });

  test("accepts an unneeded signature in front of the needed one", async () => {
    expect(await judge({ from: "carol", keys: [key("bob"), key("carol")] })).toEqual(valid);
  });

  test("refuses the same signature twice", async () => {
    const twice = await judge({ from: "carol" }, (transaction) => {
      const [signature] = transaction.signatures as string[];
      transaction.signatures = [signature, signature];
    });
    expect(twice).toEqual(refused("signature_invalid"));
  });

  test("refuses two signatures of one key, even if they differ", async () => {
    const judged = await judge({ from: "carol" }, (transaction) => {
      const [signature = ""] = transaction.signatures as string[];
      transaction.signatures = [signature, otherFirstByte(signature)];
    });
    expect(judged).toEqual(refused("signature_invalid"));
  });

  test("accepts a malleated signature exactly when the chain does", async () => {
    const seen = new Set<boolean>();
    for (let tries = 0; tries < 60 && seen.size < 2; tries++) {
      const judged = await judge({ from: "carol", mils: 1 }, (transaction) => {
        transaction.signatures = [highS((transaction.signatures as string[])[0] ?? "")];
      });
      expect(judged.isValid).toBe(judged.isTakenByChain);
      if (!judged.isValid) expect(judged.invalidReason).toBe("signature_invalid");
      seen.add(judged.isValid);
    }
    expect([...seen].sort()).toEqual([false, true]);
  });

  test("refuses an account's old key as soon as its key has changed", async () => {
    expect(await judge({ from: "carol" })).toEqual(valid);
    await chain.setAccount({ name: "carol", active: authority(1, [[activeKey("bob"), 1]]) });
    expect(await judge({ from: "carol" })).toEqual(refused("authority_not_satisfied"));
  });
});

/** Returns the same signature with the other notation of its first byte. */
function otherFirstByte(signature: string): string {
  const first = Number.parseInt(signature.slice(0, 2), 16);
  return (first - 4).toString(16) + signature.slice(2);
}

/** Returns the malleated signature, with n - s, which recovers the same key. */
function highS(signature: string): string {
  const first = Number.parseInt(signature.slice(0, 2), 16);
  const s = secp256k1.CURVE.n - BigInt(`0x${signature.slice(66)}`);
  return (31 + ((first - 31) ^ 1)).toString(16) + signature.slice(2, 66) + s.toString(16).padStart(64, "0");
}
