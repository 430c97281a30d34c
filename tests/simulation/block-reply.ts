import type { Block, ChainTransfer } from "./simulated-chain.ts";

/** Returns a block as nodes show it, with these transfers instead of its own, if they are given. */
export const blockReply = (block: Block, transfers: readonly ChainTransfer[] = block.transfers) => ({
  block_id: block.id,
  previous: block.parent?.id ?? "0".repeat(40),
  timestamp: new Date(block.timeMs).toISOString().slice(0, 19),
  transaction_ids: transfers.map(({ id }) => id),
  transactions: transfers.map(({ transfer }) => transfer.transaction),
});
