import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ChainError } from "../../../lib/hive/chain-node.ts";
import { createHiveClient } from "../../../lib/hive/client.ts";
import { ask, askedFor, chainId, clientOf, closing, good, nodeThat } from "../../harness/hive-nodes.ts";
import { refusalOfChain } from "../../harness/refuse-as-chain.ts";
import { type ScriptedReply, startScriptedNode } from "../../harness/start-scripted-node.ts";

const headAt = (seconds: number) => ({
  head_block_number: 5,
  head_block_id: "0".repeat(40),
  time: new Date(Date.UTC(2026, 0, 1, 1, 0, seconds)).toISOString().slice(0, 19),
  last_irreversible_block_num: 4,
});

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
    ["is a gateway with its own error", { error: { code: -32000, message: "Server error" } }],
    ["is a gateway with its own code", { error: { code: 1100, message: "Request timeout" } }],
    ["limits its callers", { error: { code: -32005, message: "limit exceeded" } }],
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

  test("end at the first chain error, with the chain's codes", async () => {
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

  test("ask a failed node last", async () => {
    const first = await nodeThat(() => "cut");
    const client = clientOf([first, await good()]);
    await ask(client);
    await ask(client);
    await ask(client);
    expect(askedFor(first)).toBe(1);
  });

  describe("ordered by the nodes' heads", () => {
    /**
     * Returns the nodes' names in the order of requests, once all have reported their heads. Each node
     * refuses the request.
     */
    const orderOf = async (heads: Record<string, number>) => {
      const asked: string[] = [];
      const nodes = await Promise.all(
        Object.entries(heads).map(([name, seconds]) =>
          nodeThat((method) => {
            if (method !== "test.call") return { result: headAt(seconds) };
            asked.push(name);
            return { error: { code: -32003, message: "no" } };
          }),
        ),
      );
      const client = clientOf(nodes);
      const names = async () => {
        const from = asked.length;
        // Every node refuses, so that the client asks one after the other in its order of preference.
        await client.agree((node) => node.read("test.call", [], z.string())).catch(() => {});
        return asked.slice(from);
      };
      await names();
      await expect.poll(() => client.health().every(({ headTimeMs }) => headTimeMs !== null)).toBe(true);
      return names();
    };

    test.each([
      ["40 s ahead of", 40],
      ["40 s behind", -40],
      ["6 s ahead of", 6],
      ["6 s behind", -6],
    ])("ask a node last if it is %s the median of three", async (_, seconds) => {
      expect(await orderOf({ odd: seconds, one: 0, other: 0 })).toEqual(["one", "other", "odd"]);
    });

    test("do not demote a node that is one block off the median", async () => {
      expect(await orderOf({ slow: -3, one: 0, quick: 3 })).toEqual(["slow", "one", "quick"]);
    });

    test("demote neither of two nodes, because either may be wrong", async () => {
      expect(await orderOf({ one: 0, ahead: 40 })).toEqual(["one", "ahead"]);
      expect(await orderOf({ ahead: 40, one: 0 })).toEqual(["ahead", "one"]);
    });

    test("demote no node when all are far off this machine's clock", async () => {
      expect(await orderOf({ one: 0, other: 0, third: 3 })).toEqual(["one", "other", "third"]);
    });

    test("demote the liar even when two others differ by a block", async () => {
      expect(await orderOf({ liar: 40, one: 0, other: 3, third: 0 })).toEqual([
        "one",
        "other",
        "third",
        "liar",
      ]);
    });
  });

  test("ask no node on another chain", async () => {
    const foreign = await nodeThat(() => ({ result: "foreign" }), "dead".padEnd(64, "0"));
    const client = clientOf([foreign, await good()]);
    expect(await ask(client)).toBe("good");
    expect(askedFor(foreign)).toBe(0);
    expect(client.health()[0]?.chain).toBe("foreign");
    await expect(ask(clientOf([foreign]))).rejects.toMatchObject({ code: "chain_unavailable" });
  });

  test("start at the next node on each turn", async () => {
    const client = clientOf(await Promise.all(["a", "b"].map((name) => nodeThat(() => ({ result: name })))));
    const answers = [0, 1, 2].map((turn) => client.read("test.call", [], z.string(), { turn }));
    expect(await Promise.all(answers)).toEqual(["a", "b", "a"]);
  });

  test.each([
    ["answers 502", () => ({ status: 502, text: "" }), chainId],
    ["does not report its chain", () => ({ error: { code: -32003, message: "no" } }), null],
  ] as const)("start at another node on the second turn, even at one that %s", async (_, reply, says) => {
    const healthy = await nodeThat((method) => ({ result: method === "test.call" ? "good" : headAt(0) }));
    const other = await startScriptedNode(says, () => reply());
    closing.push(other.close);
    const client = clientOf([other, healthy]);
    await ask(client).catch(() => {});
    await ask(client);
    const asked = askedFor(other);
    await client.read("test.call", [], z.string(), { turn: 1 }).catch(() => {});
    expect(askedFor(other)).toBe(asked + 1);
  });

  test("do not rotate to a node of another chain", async () => {
    const foreign = await nodeThat(() => ({ result: "foreign" }), "dead".padEnd(64, "0"));
    const client = clientOf([foreign, await good()]);
    await ask(client);
    const answers = [0, 1, 2].map((turn) => client.read("test.call", [], z.string(), { turn }));
    expect(await Promise.all(answers)).toEqual(["good", "good", "good"]);
    expect(askedFor(foreign)).toBe(0);
  });

  test("stop when the caller disconnects, without blaming the node", async () => {
    const hanging = await nodeThat(() => "hang");
    const client = clientOf([hanging], 5000);
    const leaving = new AbortController();
    const asked = client.read("test.call", [], z.string(), { signal: leaving.signal });
    await expect.poll(() => askedFor(hanging)).toBe(1);
    leaving.abort(new Error("gone"));
    await expect(asked).rejects.toThrow("gone");
    expect(client.health()[0]?.isAnswering).toBe(true);
  });
});

describe("broadcasts", () => {
  const sent = "condenser_api.broadcast_transaction";

  test("go to no second node after the first accepts the transaction", async () => {
    const nodes = [await nodeThat(() => ({ result: {} })), await nodeThat(() => ({ result: {} }))];
    await clientOf(nodes).broadcast({ expiration: "x" });
    expect(nodes.map((node) => askedFor(node, sent))).toEqual([1, 0]);
  });

  test("start at the next node on each turn", async () => {
    const nodes = [await nodeThat(() => ({ result: {} })), await nodeThat(() => ({ result: {} }))];
    await clientOf(nodes).broadcast({}, { turn: 1 });
    expect(nodes.map((node) => askedFor(node, sent))).toEqual([0, 1]);
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

describe("the second node's refusal of a broadcast", () => {
  const error = refusalOfChain("no");
  const refusalAfter = async (first: { url: string }) =>
    clientOf([first, await nodeThat(() => ({ error }))])
      .broadcast({})
      .catch((thrown: unknown) => thrown);

  test("is final if the first node was unreachable", async () => {
    const down = await good();
    await down.close();
    expect(await refusalAfter(down)).toBeInstanceOf(ChainError);
  });

  test("is final if the first node was sent nothing because it did not report its chain", async () => {
    const mute = createServer((_request, response) => response.writeHead(500).end()).listen(0, "127.0.0.1");
    closing.push(async () => mute.close());
    await once(mute, "listening");
    const { port } = mute.address() as AddressInfo;
    expect(await refusalAfter({ url: `http://127.0.0.1:${port}` })).toBeInstanceOf(ChainError);
  });

  test.each<[string, ScriptedReply]>([
    ["turned it away", { status: 503, text: "busy" }],
    ["rate-limited us", { status: 429, text: "slow down" }],
    ["answered with a gateway's error", { error: { code: -32000, message: "Server error" } }],
    ["refused without the chain's data", { error: { code: -32003, message: "no" } }],
    ["broke off", "cut"],
    ["failed internally", { status: 502, text: "bad gateway" }],
    ["talked nonsense", { status: 200, text: "<html>" }],
  ])("is not final if the first node %s, because it may have accepted the transaction", async (_, reply) => {
    expect(await refusalAfter(await nodeThat(() => reply))).toMatchObject({ code: "chain_unavailable" });
  });
});

test("a node that can't report its chain is asked last, once this is known", async () => {
  const saying =
    (word: string) =>
    ({ method }: { method: string }): ScriptedReply =>
      method === "test.call"
        ? { result: word }
        : { error: { code: -32002, message: "Could not find method" } };
  const told = await startScriptedNode(chainId, saying("good"));
  const mute = await startScriptedNode(null, saying("mute"));
  closing.push(told.close);
  closing.push(mute.close);
  const client = clientOf([mute, told]);
  expect(await ask(client)).toBe("mute");
  expect(client.health()[0]?.chain).toBe("untold");
  expect(await ask(client)).toBe("good");
});

test("a node that does not answer is reported when the next one is asked, but a node that refuses is not", async () => {
  const told: string[] = [];
  const error = { code: -32003, message: "no" };
  const urls = [await nodeThat(() => "cut"), await nodeThat(() => ({ error }))].map(({ url }) => url);
  const client = createHiveClient({ nodes: urls, chainId, onFailover: (call) => told.push(call) });
  closing.push(client.close);
  await expect(client.read("test.call", [], z.string())).rejects.toBeInstanceOf(ChainError);
  expect(told).toEqual(["read"]);
});
