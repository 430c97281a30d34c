import { expect, test } from "vitest";
import { ChainError, NodeFault } from "#lib/hive/chain-node.ts";
import type { ChainReader } from "#lib/hive/chain-reader.ts";
import { readTransferPages } from "#lib/hive/transfer-pages.ts";

const ALL = { host: "node.example", code: 10, name: "assert_exception", isAsserted: true };

/** A history's entry with this number. */
const entry = (number: number) => [
  number,
  {
    ...{ trx_id: String(number).padStart(40, "0"), block: number + 1, timestamp: "2026-01-02T03:04:05" },
    op: { type: "transfer_operation", value: { from: "alice", to: "shop", amount: "0.050 HBD", memo: "hi" } },
  },
];
const page = (...numbers: number[]) => ({ history: numbers.map(entry) });
const goOnAt = (text: string, rpcCode = -32003) =>
  new ChainError({
    ...ALL,
    rpcCode,
    message: `Assert Exception:total_processed_items < 2000: Could not find filtered operation in 2000 operations, to continue searching, set start=${text}`,
  });

/** A node that gives these answers one after another, and the last one for ever; with what it was asked. */
function createNode(answers: unknown[]) {
  const asked: unknown[] = [];
  const chain: ChainReader = {
    async read(method, params, shape) {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push(Array.isArray(params) ? [method, ...params] : params);
      if (answer instanceof Error) throw answer;
      const result = shape.safeParse(answer);
      if (!result.success) throw new NodeFault("unexpected result", { mayHaveArrived: true });
      return result.data;
    },
  };
  return { chain, asked };
}
async function readAll(chain: ChainReader, now?: () => number): Promise<number[]> {
  const numbers: number[] = [];
  for await (const transfers of readTransferPages(chain, "shop", now && { now }))
    numbers.push(...transfers.map(({ txId }) => Number(txId)));
  return numbers;
}

test("reads on below a short page, where a node looks at only some operations, until an empty one", async () => {
  const { chain, asked } = createNode([page(4000, 5000), page(2500), page()]);
  expect(await readAll(chain)).toEqual([5000, 4000, 2500]);
  expect(asked).toMatchObject([
    { start: -1, limit: 1000 },
    { start: 3999, limit: 1000 },
    { start: 2499, limit: 1000 },
  ]);
});

test("reads on where a node names an operation because it has found none", async () => {
  const { chain, asked } = createNode([goOnAt("7000."), goOnAt("5000."), page(40), goOnAt("0"), page(0)]);
  expect(await readAll(chain)).toEqual([40, 0]);
  expect(asked).toMatchObject([
    { start: -1 },
    { start: 7000, limit: 1000 },
    { start: 5000, limit: 1000 },
    { start: 39, limit: 40 },
    { start: 0, limit: 1 },
  ]);
});

test("goes on under the older name at a node that does not serve the newer one", async () => {
  const notServed = new ChainError({ ...ALL, rpcCode: -32601, message: "Method not found" });
  const old = [
    [
      7,
      {
        ...(entry(7)[1] as object),
        op: ["transfer", { from: "a", to: "b", amount: "0.001 HIVE", memo: "" }],
      },
    ],
  ];
  const { chain, asked } = createNode([notServed, old, []]);
  expect(await readAll(chain)).toEqual([7]);
  expect(asked.slice(1)).toEqual([
    ["condenser_api.get_account_history", "shop", -1, 1000, 4],
    ["condenser_api.get_account_history", "shop", 6, 7, 4],
  ]);
});

test.each([
  ["a page that shows the same transfers again", [page(5, 6)]],
  ["a page above the one before it", [page(5, 6), page(7)]],
  ["a page whose transfers are out of order", [page(6, 5)]],
  ["a page that lists a transfer twice", [page(6, 6)]],
  ["a continuation at the same operation", [goOnAt("7000."), goOnAt("7000.")]],
  ["a continuation above the operation that was asked for", [page(50), goOnAt("60.")]],
])("ends with chain_unavailable at %s", async (_, answers) => {
  await expect(readAll(createNode(answers).chain)).rejects.toMatchObject({ code: "chain_unavailable" });
});

test.each(["-1.", "x", "", "1234567890123456."])(
  "passes a refusal on that names no operation but %j",
  async (text) => {
    await expect(readAll(createNode([goOnAt(text)]).chain)).rejects.toBeInstanceOf(ChainError);
  },
);

test("passes a continuation on that has another code than the chain's", async () => {
  await expect(readAll(createNode([goOnAt("7000.", -32000)]).chain)).rejects.toBeInstanceOf(ChainError);
});

test("ends with chain_unavailable after a thousand pages, or a minute", async () => {
  const answers = Array.from({ length: 1001 }, (_, index) => goOnAt(`${9_000_000 - index}.`));
  const { chain, asked } = createNode(answers);
  await expect(readAll(chain)).rejects.toMatchObject({ code: "chain_unavailable" });
  expect(asked).toHaveLength(1000);
  const times = [0, 0, 59_999, 60_000];
  const late = createNode([page(500), page(400), page(300)]);
  await expect(readAll(late.chain, () => times.shift() ?? 60_000)).rejects.toMatchObject({
    code: "chain_unavailable",
  });
  expect(late.asked).toHaveLength(2);
});
