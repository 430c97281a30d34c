import { expect, test } from "vitest";
import type { ChainReader } from "#lib/hive/chain-reader.ts";
import type { HiveClient } from "#lib/hive/client.ts";
import { createPayeeHistories } from "#lib/x402/facilitator/payee-histories.ts";
import { memoOfTicket } from "#lib/x402/ticket-memo.ts";

const MEMO = memoOfTicket("a ticket");
const NOW_MS = Date.parse("2026-01-02T00:00:00Z");
/** The history of every account: a transfer in block 7. */
const entry = (account: string) => [
  0,
  {
    ...{ trx_id: "ab".repeat(20), block: 7, timestamp: "2026-01-01T12:00:00" },
    op: {
      type: "transfer_operation",
      value: { from: "buyer", to: account, memo: MEMO, amount: "0.050 HBD" },
    },
  },
];

/** Starts histories of which those of strangers end when `release` is called. */
function startHistories(isKnown: (payTo: string) => boolean) {
  const read: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const node: ChainReader = {
    async read(_, params, shape) {
      const { account } = params as { account: string };
      read.push(account);
      if (account.startsWith("stranger")) await released;
      const parsed = shape.safeParse({ history: [entry(account)] });
      if (!parsed.success) throw parsed.error;
      return parsed.data;
    },
  };
  const agree = async <T>(look: (one: ChainReader) => Promise<T>) => [await look(node)];
  const client = { agree } as unknown as HiveClient;
  const { blocksOf } = createPayeeHistories({ client, pollMs: 0, isKnown });
  const ask = (payTo: string) => {
    const times = { depthMs: 24 * 3_600_000, beganAtMs: NOW_MS, reachedTimeMs: NOW_MS };
    return blocksOf({ memo: MEMO, payTo, amount: "0.050 HBD", isSeen: false, ...times });
  };
  return { ask, read, release };
}

test("the history of a payee is read at once when it becomes known while it waits behind strangers'", async () => {
  const known = new Set<string>();
  const { ask, read, release } = startHistories((payTo) => known.has(payTo));
  const strangers = Promise.all(Array.from({ length: 40 }, (_, index) => ask(`stranger${index}`)));
  const first = ask("shop");
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toEqual(["stranger0"]);
  known.add("shop");
  expect(await Promise.all([ask("shop"), ask("shop"), first])).toEqual([[7], [7], [7]]);
  expect(read).toEqual(["stranger0", "shop"]);
  release();
  expect(await strangers).toHaveLength(40);
  expect(read).toHaveLength(41);
});
