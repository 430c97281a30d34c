import dhive from "@hiveio/dhive";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseRequirements, signPayment } from "#lib/x402/client/index.ts";
import { decodePayment } from "#lib/x402/codec.ts";
import type { PaymentRequirements, SignedTransaction } from "#lib/x402/types.ts";
import { makeOffer } from "../../../harness/serve-offers.ts";
import { type Shop, startShop, wifOf } from "../../../harness/start-shop.ts";

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop.close());

const requirements = (changes = {}) => makeOffer(changes) as PaymentRequirements;
const transactionIn = (header: string) => decodePayment(header).payload.signedTransaction;
const endOf = (header: string) => Date.parse(`${transactionIn(header).expiration}Z`);
const headTimeMs = async () => {
  const { time } = (await shop.chain.call("condenser_api.get_dynamic_global_properties", [])) as {
    time: string;
  };
  return Date.parse(`${time}Z`);
};

describe("signPayment", () => {
  test("returns a header that the facilitator settles", async () => {
    const paymentRequirements = requirements();
    const header = await signPayment({ ...shop.purse(), requirements: paymentRequirements });
    const request = { x402Version: 1, paymentPayload: decodePayment(header), paymentRequirements };
    expect(await shop.facilitator.verify(request)).toEqual({ isValid: true, payer: "alice" });
    expect(await shop.facilitator.settle(request)).toMatchObject({ success: true, payer: "alice" });
  });

  test("creates a signature that dhive attributes to the key and the chain accepts", async () => {
    const transaction = transactionIn(await signPayment({ ...shop.purse(), requirements: requirements() }));
    const digest = dhive.cryptoUtils.transactionDigest(
      transaction as unknown as dhive.Transaction,
      Buffer.from(shop.chain.chainId, "hex"),
    );
    const signature = dhive.Signature.fromString(transaction.signatures[0] ?? "");
    const key = dhive.PrivateKey.fromString(wifOf("alice")).createPublic().toString();
    expect(signature.recover(digest).toString()).toBe(key);
    expect(await shop.chain.call("condenser_api.verify_authority", [transaction])).toBe(true);
  });

  test("uses the offered nonce, and creates one if none is offered", async () => {
    const nonce = "server-chosen-nonce-1";
    const offered = decodePayment(
      await signPayment({ ...shop.purse(), requirements: requirements({ extra: { nonce } }) }),
    );
    expect(offered.payload.nonce).toBe(nonce);
    const own = await Promise.all(
      [1, 2].map(async () =>
        decodePayment(await signPayment({ ...shop.purse(), requirements: requirements() })),
      ),
    );
    expect(new Set(own.map(({ payload }) => payload.nonce)).size).toBe(2);
  });

  test("refuses requirements that can't be paid", async () => {
    for (const changes of [
      { maxAmountRequired: "0.050 HIVE" },
      { scheme: "upto" },
      { network: "chain:mainnet" },
      { validBefore: "2020-01-01T00:00:00Z" },
    ])
      await expect(
        signPayment({ ...shop.purse(), requirements: requirements(changes) }),
      ).rejects.toMatchObject({
        name: "PaymentError",
      });
  });

  test("signs for the main chain under each of its names", async () => {
    const { account, activeKey, nodes } = shop.purse();
    for (const network of ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"]) {
      const header = await signPayment({
        account,
        activeKey,
        nodes,
        requirements: requirements({ network }),
      });
      expect(decodePayment(header).network).toBe(network);
    }
  });
});

describe("a wallet", () => {
  const sign = async (change: (transaction: SignedTransaction) => unknown, changes = {}) => {
    const { account, nodes, chainId } = shop.purse();
    return signPayment({
      account,
      nodes,
      chainId,
      requirements: requirements(changes),
      signTransaction: (transaction, name) => {
        expect(name).toBe("alice");
        const key = dhive.PrivateKey.fromString(wifOf("alice"));
        const signed = dhive.cryptoUtils.signTransaction(
          structuredClone(transaction) as unknown as dhive.Transaction,
          key,
          Buffer.from(chainId, "hex"),
        );
        return change(signed as unknown as SignedTransaction) as SignedTransaction;
      },
    });
  };

  test("signs in place of a key", async () => {
    const header = await sign((transaction) => transaction);
    expect(transactionIn(header).signatures).toHaveLength(1);
  });

  test("has at least five minutes to sign, while a key has at most one", async () => {
    const before = await headTimeMs();
    const endMs = endOf(await sign((transaction) => transaction));
    expect(endMs - before).toBeGreaterThanOrEqual(300_000);
    const byKey = endOf(await signPayment({ ...shop.purse(), requirements: requirements() }));
    expect(byKey - (await headTimeMs())).toBeLessThanOrEqual(60_000);
  });

  test("signs a transaction that expires with the offer", async () => {
    const endMs = (await headTimeMs()) + 120_000;
    const header = await sign((transaction) => transaction, { validBefore: new Date(endMs).toISOString() });
    expect(endOf(header)).toBe(endMs);
  });

  test("may return milliseconds, an uppercase signature and additional fields", async () => {
    const header = await sign(({ expiration, signatures, ...rest }) => ({
      ...rest,
      expiration: `${expiration}.000`,
      signatures: signatures.map((signature) => signature.toUpperCase()),
      txId: "extra",
    }));
    const { signatures, ...rest } = transactionIn(header);
    expect(signatures[0]).toMatch(/^[0-9a-f]{130}$/);
    expect(Object.keys(rest)).not.toContain("txId");
  });

  test.each<[string, (transaction: SignedTransaction) => unknown]>([
    ["nothing", () => undefined],
    ["no signature", (transaction) => ({ ...transaction, signatures: [] })],
    [
      "another amount",
      (transaction) => ({
        ...transaction,
        operations: [["transfer", { from: "alice", to: "shop", amount: "50.000 HBD", memo: "" }]],
      }),
    ],
    [
      "a second operation",
      (transaction) => ({
        ...transaction,
        operations: [...transaction.operations, ...transaction.operations],
      }),
    ],
    ["a longer lifetime", (transaction) => ({ ...transaction, expiration: "2036-01-01T00:00:00" })],
  ])("that returns %s is refused", async (_name, change) => {
    await expect(sign(change)).rejects.toMatchObject({ code: "signing_failed" });
  });
});

describe("parseRequirements", () => {
  const answer = (body: unknown, headers: Record<string, string> = {}) =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { status: 402, headers });

  test("returns the first payable offer of the body and leaves the body readable", async () => {
    const good = requirements();
    const response = answer({ accepts: [{ scheme: "exact", network: "base" }, good] });
    expect(await parseRequirements(response)).toEqual(good);
    expect(await response.json()).toMatchObject({ accepts: [{}, {}] });
  });

  test("returns the header's offer when the body has none", async () => {
    const good = requirements({ network: "hive:mainnet", description: "Grüße" });
    const header = Buffer.from(JSON.stringify({ accepts: [good] })).toString("base64");
    expect(await parseRequirements(answer("<html>", { "x-payment": header }))).toEqual(good);
    const read = answer({ accepts: [] }, { "x-payment": header });
    await read.text();
    expect(await parseRequirements(read)).toEqual(good);
  });

  test("throws without a payable offer", async () => {
    for (const [body, headers] of [
      ["", {}],
      [{ accepts: "x" }, {}],
      [[], { "x-payment": "%%%" }],
      [null, {}],
    ] as const)
      await expect(parseRequirements(answer(body, headers))).rejects.toMatchObject({ code: "no_offer" });
    await expect(
      parseRequirements(answer({ accepts: [requirements({ scheme: "upto" })] })),
    ).rejects.toMatchObject({
      code: "unknown_scheme",
    });
  });
});
