import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { readAccounts } from "../../../lib/hive/accounts.ts";
import { ChainError } from "../../../lib/hive/chain-error.ts";
import { createHiveClient, type HiveClient } from "../../../lib/hive/client.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const chainId = "c0de".padEnd(64, "0");
const closing: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function nodeThat(
  reply: (method: string) => ScriptedReply | Promise<ScriptedReply>,
  itsChain: string = chainId,
) {
  const node = await startScriptedNode(itsChain, ({ method }) => reply(method));
  closing.push(node.close);
  return node;
}

/** With the product's own limit of an attempt, so that a busy machine makes no good node a dead one. */
function clientOf(nodes: Array<{ url: string }>, timeoutMs?: number): HiveClient {
  const urls = nodes.map(({ url }) => url);
  const client = createHiveClient({ nodes: urls, chainId, ...(timeoutMs !== undefined && { timeoutMs }) });
  closing.push(client.close);
  return client;
}

const good = () => nodeThat(() => ({ result: "good" }));
const askedFor = (node: { calls: Array<{ method: string }> }, method = "test.call") =>
  node.calls.filter((call) => call.method === method).length;
const ask = (client: HiveClient) => client.read("test.call", [], z.string());

describe("reads", () => {
  const silent: Array<[string, ScriptedReply]> = [
    ["hangs", "hang"],
    ["cuts the connection", "cut"],
    ["answers 503", { status: 503, text: "busy" }],
    ["answers 429", { status: 429, text: "{}" }],
    ["answers HTML with 200", { status: 200, text: "<html>maintenance</html>" }],
    ["answers an empty object", { status: 200, text: "{}" }],
    ["answers with a result of another shape", { result: 5 }],
    [
      "is a gateway without its node",
      { error: { code: -32700, message: "Unable to send request to endpoint." } },
    ],
    [
      "is a gateway without a route",
      { error: { code: -32603, message: "Unable to map request to endpoint." } },
    ],
    [
      "is a gateway with a broken node",
      { error: { code: -32602, message: "Unable to parse endpoint data." } },
    ],
    ["could not lock its database", { error: { code: -32003, message: "Unable to acquire database lock" } }],
    ["sends more than 4 MiB", { status: 200, text: `{"result":"${"x".repeat(5 * 1024 * 1024)}"}` }],
  ];
  test.each(silent)("go to the next node when the first %s", async (_, reply) => {
    const first = await nodeThat(() => reply);
    const client = clientOf([first, await good()]);
    expect(await ask(client)).toBe("good");
    expect(askedFor(first)).toBe(1);
  });

  test("go to the next node when the first is down", async () => {
    const down = await good();
    await down.close();
    expect(await ask(clientOf([down, await good()]))).toBe("good");
  });

  test("are final at the first chain error, which keeps the chain's codes", async () => {
    const error = { code: -32003, message: "no", data: { code: 3010000, name: "tx_missing_active_auth" } };
    const second = await good();
    const client = clientOf([await nodeThat(() => ({ error })), second]);
    const thrown = await ask(client).catch((e: unknown) => e);
    expect(thrown).toBeInstanceOf(ChainError);
    expect(thrown).toMatchObject({
      rpcCode: -32003,
      code: 3010000,
      name: "tx_missing_active_auth",
      message: "no",
    });
    expect(askedFor(second)).toBe(0);
    expect(client.health()[0]?.isAnswering).toBe(true);
  });

  test("throw chain_unavailable when no node answers", async () => {
    const client = clientOf([await nodeThat(() => "cut"), await nodeThat(() => "hang")]);
    await expect(ask(client)).rejects.toMatchObject({ code: "chain_unavailable", status: 503 });
  });

  test("leave a node that failed for last", async () => {
    const first = await nodeThat(() => "cut");
    const client = clientOf([first, await good()]);
    await ask(client);
    await ask(client);
    await ask(client);
    expect(askedFor(first)).toBe(1);
  });

  test("prefer a node that follows the chain to one that lags behind", async () => {
    const at = (time: string) => (method: string) =>
      method === "test.call"
        ? { result: time }
        : {
            result: {
              head_block_number: 5,
              head_block_id: "0".repeat(40),
              time,
              last_irreversible_block_num: 4,
            },
          };
    const lagging = await nodeThat(at("2026-01-01T00:00:00"));
    const client = clientOf([lagging, await nodeThat(at("2026-01-01T00:01:00"))]);
    await ask(client);
    await expect
      .poll(() => client.health().every(({ headTimeMs }) => headTimeMs !== null), { timeout: 5000 })
      .toBe(true);
    expect(await ask(client)).toBe("2026-01-01T00:01:00");
  });

  test("ask no node of another chain", async () => {
    const foreign = await nodeThat(() => ({ result: "foreign" }), "dead".padEnd(64, "0"));
    const client = clientOf([foreign, await good()]);
    expect(await ask(client)).toBe("good");
    expect(askedFor(foreign)).toBe(0);
    expect(client.health()[0]?.chain).toBe("foreign");
    await expect(ask(clientOf([foreign]))).rejects.toMatchObject({ code: "chain_unavailable" });
  });

  test("from two nodes never take both answers from one", async () => {
    const other = await nodeThat(() => ({ result: "other" }));
    const dead = await nodeThat(() => "cut");
    const client = clientOf([dead, other, await good()]);
    expect((await client.readFromTwo("test.call", [], z.string())).sort()).toEqual(["good", "other"]);
    const lonely = clientOf([dead, other]);
    await expect(lonely.readFromTwo("test.call", [], z.string())).rejects.toMatchObject({
      code: "chain_unavailable",
    });
  });

  test("stop when the caller goes away, and do not blame the node", async () => {
    const hanging = await nodeThat(() => "hang");
    const client = clientOf([hanging], 5000);
    const leaving = new AbortController();
    const asked = client.read("test.call", [], z.string(), { signal: leaving.signal });
    await expect.poll(() => askedFor(hanging), { timeout: 10_000 }).toBe(1);
    leaving.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    expect(client.health()[0]?.isAnswering).toBe(true);
  });
});

describe("broadcasts", () => {
  const sent = "condenser_api.broadcast_transaction";

  test("go to one node only when it takes the transaction", async () => {
    const nodes = [await nodeThat(() => ({ result: {} })), await nodeThat(() => ({ result: {} }))];
    await clientOf(nodes).broadcast({ expiration: "x" });
    expect(nodes.map((node) => askedFor(node, sent))).toEqual([1, 0]);
  });

  test("go to no second node after a final chain error", async () => {
    const error = { code: -32003, message: "Duplicate transaction check failed" };
    const nodes = [await nodeThat(() => ({ error })), await nodeThat(() => ({ result: {} }))];
    await expect(clientOf(nodes).broadcast({})).rejects.toBeInstanceOf(ChainError);
    expect(nodes.map((node) => askedFor(node, sent))).toEqual([1, 0]);
  });

  test("go to the next node when the first hangs", async () => {
    const nodes = [await nodeThat(() => "hang"), await nodeThat(() => ({ result: {} }))];
    await clientOf(nodes).broadcast({});
    expect(nodes.map((node) => askedFor(node, sent))).toEqual([1, 1]);
  });
});

describe("a refusal by the second node, after the first", () => {
  const error = { code: -32003, message: "no" };
  const refusalAfter = async (first: { url: string }) =>
    clientOf([first, await nodeThat(() => ({ error }))])
      .broadcast({})
      .catch((thrown: unknown) => thrown);

  test.each<[string, ScriptedReply]>([
    ["turned it away", { status: 503, text: "busy" }],
    ["had enough of us", { status: 429, text: "slow down" }],
  ])("%s, is certain", async (_, reply) => {
    expect(await refusalAfter(await nodeThat(() => reply))).toBeInstanceOf(ChainError);
  });

  test("could not be reached, is certain", async () => {
    const down = await good();
    await down.close();
    expect(await refusalAfter(down)).toBeInstanceOf(ChainError);
  });

  test("did not say which chain it is of, is certain: nothing was sent", async () => {
    const mute = createServer((_request, response) => response.writeHead(500).end()).listen(0, "127.0.0.1");
    closing.push(async () => mute.close());
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    expect(await refusalAfter({ url: `http://127.0.0.1:${port}` })).toBeInstanceOf(ChainError);
  });

  test.each<[string, ScriptedReply]>([
    ["broke off", "cut"],
    ["failed on its side", { status: 502, text: "bad gateway" }],
    ["talked nonsense", { status: 200, text: "<html>" }],
  ])("%s, is not: the first may have taken it", async (_, reply) => {
    expect(await refusalAfter(await nodeThat(() => reply))).toMatchObject({ code: "chain_unavailable" });
  });
});

test("a node that gave no answer is told of when the next is asked; a refusal is an answer", async () => {
  const told: string[] = [];
  const error = { code: -32003, message: "no" };
  const urls = [await nodeThat(() => "cut"), await nodeThat(() => ({ error }))].map(({ url }) => url);
  const client = createHiveClient({ nodes: urls, chainId, onFailover: (call) => told.push(call) });
  closing.push(client.close);
  await expect(client.read("test.call", [], z.string())).rejects.toBeInstanceOf(ChainError);
  expect(told).toEqual(["read"]);
});

describe("accounts", () => {
  const authority = { weight_threshold: 1, account_auths: [], key_auths: [] };
  const row = { name: "alice", owner: authority, active: authority, posting: authority };

  test("are read by name, with the balance in 1/1000 HBD, from either form of assets", async () => {
    const nai = { ...row, hbd_balance: { amount: "3465", precision: 3, nai: "@@000000013" } };
    const legacy = { ...row, hbd_balance: "3.465 HBD" };
    for (const answer of [nai, legacy]) {
      const node = await nodeThat(() => ({ result: { accounts: [{ ...answer, name: "mallory" }, answer] } }));
      const found = await readAccounts(clientOf([node]), ["alice", "nobody-x"]);
      expect([...found.keys()]).toEqual(["alice"]);
      expect(found.get("alice")?.hbdMillis).toBe(3465);
    }
  });

  test("are read through the older API where a node lacks the newer one", async () => {
    const node = await nodeThat((method) =>
      method === "condenser_api.get_accounts"
        ? { result: [{ ...row, hbd_balance: "0.000 HBD" }] }
        : { error: { code: -32002, message: "Could not find method" } },
    );
    expect((await readAccounts(clientOf([node]), ["alice"])).get("alice")?.hbdMillis).toBe(0);
  });
});
