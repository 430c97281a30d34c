import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Asset } from "../../../lib/hive/transaction.ts";
import { parseAsset, parseJson } from "../../../sandbox/chain/parse/fields.ts";
import { createAssetRenderer } from "../../../sandbox/chain/render/account.ts";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, type SandboxChain, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

let chain: SandboxChain;
beforeEach(async () => {
  chain = await startSandboxChain();
});
afterEach(() => chain.close());

const mainnet = { hbd: "HBD", hive: "HIVE" } as const;

describe("JSON as the nodes read it", () => {
  test("parses texts without escapes or repeated keys as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes("\\"));
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test("uses the first of equal keys and drops the backslash of unknown escapes", () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 1 });
    expect(parseJson('"\\u0041\\b\\f\\/\\n\\t\\r\\\\\\""')).toBe('u0041bf/\n\t\r\\"');
  });

  test.each(["", "{", "[1", '{"a"', "nope", "1 2", "[1 2]", '"open'])("refuses %j", (text) => {
    expect(() => parseJson(text)).toThrow();
  });

  test("refuses JSON that is nested too deeply", () => {
    expect(() => parseJson("[".repeat(100_000))).toThrow();
  });
});

describe("amounts", () => {
  test("are read as written, in both forms", () => {
    const symbol = fc.constantFrom<Asset["symbol"]>("HBD", "HIVE", "VESTS");
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), symbol, (amount, one) => {
        for (const form of ["text", "nai"] as const)
          expect(parseAsset(createAssetRenderer(form, mainnet)(amount, one), mainnet)).toEqual({
            amount,
            symbol: one,
          });
      }),
    );
  });

  test.each([
    [" +01.000   HBD ", 1000n, "HBD"],
    ["1.000 SBD", 1000n, "HBD"],
    ["2.000 STEEM", 2000n, "HIVE"],
    ["-0.500 HBD", 500n, "HBD"],
    ["-1.000 HBD", -1000n, "HBD"],
    ["9223372036854775.807 HIVE", 2n ** 63n - 1n, "HIVE"],
  ])("%j is read as %s of %s", (text, amount, symbol) => {
    expect(parseAsset(text, mainnet)).toEqual({ amount, symbol });
  });

  test.each([
    "1 HBD",
    "1.0000 HBD",
    "1.000HBD",
    "1.000",
    "1.000 hbd",
    "1.000 TBD",
    "1.000 HBD x",
    "1,000.000 HBD",
    "1e3 HBD",
    "0x1.000 HBD",
    "9223372036854775.808 HIVE",
    "1.000000 HBD",
    "",
    7,
    null,
    { amount: "1", precision: 3, nai: "@@000000014" },
    { amount: "1", precision: 6, nai: "@@000000013" },
    { amount: "1.5", precision: 3, nai: "@@000000013" },
    { amount: "1", precision: 3, nai: "constructor" },
  ])("%j is rejected", (value) => {
    expect(() => parseAsset(value, mainnet)).toThrow();
  });
});

describe("HTTP", () => {
  test("answers browsers' preflights, and lets any origin read", async () => {
    const preflight = await fetch(chain.url, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("*");
    const answer = await fetch(`${chain.url}/any/path`, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: '{"jsonrpc":"2.0","id":"x","method":"condenser_api.get_version","params":[]}',
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(await answer.json()).toMatchObject({ id: "x" });
  });

  test("refuses an oversized body", async () => {
    const response = await fetch(chain.url, { method: "POST", body: "x".repeat(2 * 1024 * 1024) }).catch(
      () => null,
    );
    expect(response?.status ?? 413).toBe(413);
  });

  test("answers a batch in order, each call with its own id", async () => {
    const call = (id: number | string, method: string) => ({ jsonrpc: "2.0", id, method, params: {} });
    const response = await fetch(chain.url, {
      method: "POST",
      body: JSON.stringify([call(0, "database_api.get_version"), call("b", "no.api"), 5]),
    });
    expect(await response.json()).toMatchObject([
      { id: 0, result: { chain_id: chain.chainId } },
      { id: "b", error: { code: -32002 } },
      { id: null, error: { code: -32600 } },
    ]);
  });

  test("reads an empty list and an empty object as no arguments", async () => {
    for (const params of [[], {}, undefined])
      expect(
        (await callRpc(chain.url, "database_api.get_dynamic_global_properties", params)).error,
      ).toBeUndefined();
  });

  test.each(["condenser_api.constructor", "__proto__.x", "condenser_api.", "condenser_api", ""])(
    "serves no method named %j",
    async (method) => {
      expect((await callRpc(chain.url, method, [])).error?.code).toBe(-32002);
    },
  );
});

describe("an unacceptable transaction", () => {
  const pay = (memo: string) =>
    signTransaction(chain, [transferOf("alice", "bob", 1, memo)], { keys: [secretOf("alice", "active")] });
  const send = (json: unknown) => callRpc(chain.url, "condenser_api.broadcast_transaction", [json]);

  test("with two amounts uses the first, which breaks the signature", async () => {
    const { json } = await pay("two amounts");
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "condenser_api.broadcast_transaction",
      params: [json],
    });
    const post = async (body: string) => (await fetch(chain.url, { method: "POST", body })).json();
    const doubled = text.replace('"amount":', '"amount":"9.000 HBD","amount":');
    expect(await post(doubled)).toMatchObject({ error: { data: { name: "tx_missing_active_auth" } } });
    expect(await post(text.replace('"memo":', '"amount":"9.000 HBD","memo":'))).toMatchObject({ result: {} });
  });

  test.each([
    ["no operations", { operations: [] }, "A transaction must have at least one operation"],
    ["an unknown operation", { operations: [["vote_harder", {}]] }, "Invalid object name"],
    ["an operation without a body", { operations: [["transfer"]] }, "Invalid cast"],
    ["extensions", { extensions: [1] }, "No extensions"],
    ["a list for a memo", { operations: [["transfer", { memo: [] }]] }, "Invalid cast"],
    ["30 February", { expiration: "2030-02-30T00:00:00" }, "bad lexical cast"],
    ["a date alone", { expiration: "2030-01-01" }, "bad lexical cast"],
    ["letters in a signature", { signatures: ["xy"] }, "Invalid hex character 'x'"],
    ["a short signature", { signatures: ["20"] }, ""],
  ])("with %s is refused", async (_, change, text) => {
    const { json } = await pay(`malformed ${text}`);
    const { error } = await send({ ...json, ...change });
    expect(error?.message).toContain(text);
    expect(error?.code).not.toBe(-32603);
  });

  test("made of arbitrary JSON gets a chain error, never an internal one", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { error } = await send(value);
        expect(error?.code).toBeLessThan(0);
        expect(error?.code).not.toBe(-32603);
      }),
      { numRuns: 60 },
    );
  });

  test("with an authority that names an unknown account is refused", async () => {
    const authority = {
      weight_threshold: 1,
      account_auths: [["nobody-x", 1]] as [string, number][],
      key_auths: [],
    };
    const update = {
      type: "account_update2" as const,
      account: "alice",
      posting: authority,
      json_metadata: "",
      posting_json_metadata: "",
    };
    const { json } = await signTransaction(chain, [update], { keys: [secretOf("alice", "active")] });
    expect((await send(json)).error?.message).toContain("Account nobody-x doesn't exist");
  });
});

describe("authority checks of database_api", () => {
  test("verify_account_authority says whether keys satisfy a role", async () => {
    const { deriveAccount } = await import("../../../sandbox/accounts.ts");
    const { keys } = deriveAccount("alice");
    const verify = (level: string, signers: string[]) =>
      chain.call("database_api.verify_account_authority", { account: "alice", signers, level });
    expect(await verify("active", [keys.active.publicKey])).toEqual({ valid: true });
    expect(await verify("active", [keys.owner.publicKey])).toEqual({ valid: false });
    expect(await verify("posting", [keys.active.publicKey])).toEqual({ valid: false });
  });
});
