import { z } from "zod";
import { formatMils, isMils, parseMils } from "../mils.ts";
import { isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";

/** The bit of the operation "transfer" in the chain's filters. */
const TRANSFERS = 4;
const NEWEST = -1;
const HISTORY_TIMEOUT_MS = 5000;

/** An amount of HBD as text, read from either format of assets; null for other coins. */
const HbdText = z.union([
  z.string().transform((text) => (parseMils(text) === null ? null : text)),
  z
    .object({ amount: z.union([z.string().regex(/^\d{1,15}$/), z.number().int()]), nai: z.string() })
    .transform(({ amount, nai }) => {
      const mils = Number(amount);
      return nai === "@@000000013" && isMils(mils) ? formatMils(mils) : null;
    }),
]);

const Transfer = z.object({ from: z.string(), to: z.string(), amount: HbdText, memo: z.string() });

const Place = { trx_id: z.string(), block: z.number().int(), timestamp: z.string() };
const Entry = z.tuple([
  z.number(),
  z.union([
    z.object({ ...Place, op: z.object({ type: z.literal("transfer_operation"), value: Transfer }) }),
    z
      .object({ ...Place, op: z.tuple([z.literal("transfer"), Transfer]) })
      .transform(({ op: [, value], ...place }) => ({ ...place, op: { value } })),
  ]),
]);
const History = z.array(Entry);

/** A transfer of HBD in a block. */
export type HbdTransfer = {
  txId: string;
  blockNum: number;
  /** The time of the block, in ISO 8601. */
  time: string;
  from: string;
  to: string;
  /** The amount, such as "0.050 HBD". */
  amount: string;
  memo: string;
};

/**
 * Returns the HBD transfers among an account's last `limit` transfers (up to 1000), newest first. Nodes that
 * show only irreversible blocks lack transfers in the newest blocks.
 * @throws CodedError `chain_unavailable`
 */
export async function readHbdTransfers(
  chain: ChainReader,
  account: string,
  limit: number,
  options?: ReadOptions,
): Promise<HbdTransfer[]> {
  const given = { timeoutMs: HISTORY_TIMEOUT_MS, ...options };
  const filter = { include_reversible: true, operation_filter_low: TRANSFERS };
  const wanted = { account, start: NEWEST, limit, ...filter };
  const history = await chain
    .read("account_history_api.get_account_history", wanted, z.object({ history: History }), given)
    .then((answer) => answer.history)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      const params = [account, NEWEST, limit, TRANSFERS];
      return chain.read("condenser_api.get_account_history", params, History, given);
    });
  return history.reverse().flatMap(([, { trx_id, block, timestamp, op }]) => {
    const { amount, ...rest } = op.value;
    return amount === null ? [] : [{ txId: trx_id, blockNum: block, time: `${timestamp}Z`, amount, ...rest }];
  });
}
