import { parseMils } from "../mils.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { type PastTransfer, readTransferPages } from "./transfer-pages.ts";

/** The most pages that are read for the last transfers of an account that does much else. */
const MAX_PAGES = 20;

/** A transfer of HBD in a block. */
export type HbdTransfer = {
  txId: string;
  /** The index of the transfer in its transaction. */
  operation: number;
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
 * Returns the HBD transfers among an account's last `limit` transfers, newest first. Nodes that show only irreversible
 * blocks lack transfers in the newest blocks. Of an account whose other operations are many, some nodes show only the
 * transfers among its last 40 000 operations.
 * @throws CodedError `chain_unavailable`
 */
export async function readHbdTransfers(
  chain: ChainReader,
  account: string,
  limit: number,
  options: Pick<ReadOptions, "signal"> = {},
): Promise<HbdTransfer[]> {
  const found: PastTransfer[] = [];
  let pages = 0;
  for await (const transfers of readTransferPages(chain, account, options)) {
    found.push(...transfers);
    pages++;
    if (found.length >= limit || pages >= MAX_PAGES) break;
  }
  return found.slice(0, limit).flatMap(({ timeMs, ...transfer }) => {
    const time = `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
    return parseMils(transfer.amount) === null ? [] : [{ ...transfer, time }];
  });
}
