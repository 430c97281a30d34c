import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { isUnknownMethod } from "../../hive/chain-error.ts";
import type { ChainState } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";
import { type ChainClock, CLOCK_AGE_MS } from "./chain-clock.ts";

const REMEMBERED_BLOCKS = 4096;
const MAX_BLOCKS_AHEAD = 4;
const WAIT_FOR_BLOCK_MS = 1200;
const MAX_TRIES = 4;

const BlockId = z.string().regex(/^[0-9a-f]{40}$/);
const Header = z.object({ previous: BlockId });
const WrappedHeader = z.object({ header: Header }).transform(({ header }) => header);

export type Reference = { refBlockNum: number; refBlockPrefix: number };

/** Tells whether the block that a transaction refers to is one of the chain's last 65,536. */
export type CheckTapos = (reference: Reference) => Promise<boolean>;

/** Makes the check; prefixes of irreversible blocks are remembered. */
export function createTaposCheck(client: HiveClient, clock: ChainClock): CheckTapos {
  const prefixes = new Map<number, number>();

  const prefixOf = async (block: number, state: ChainState): Promise<number> => {
    if (block === state.headBlock) return toPrefix(state.headBlockId);
    const known = prefixes.get(block);
    if (known !== undefined) return known;
    const prefix = toPrefix(await readBlockId(client, block));
    if (block <= state.irreversibleBlock) {
      const oldest = prefixes.size >= REMEMBERED_BLOCKS ? prefixes.keys().next().value : undefined;
      if (oldest !== undefined) prefixes.delete(oldest);
      prefixes.set(block, prefix);
    }
    return prefix;
  };

  return async ({ refBlockNum, refBlockPrefix }) => {
    let state = await clock(CLOCK_AGE_MS);
    // The payer's node may be a block or two ahead of ours.
    for (let tries = 0; tries < MAX_TRIES && blocksAhead(refBlockNum, state) <= MAX_BLOCKS_AHEAD; tries++) {
      if (tries > 0) await wait(WAIT_FOR_BLOCK_MS);
      state = await clock(0);
    }
    const block = state.headBlock - distance(state.headBlock, refBlockNum);
    return block > 0 && (await prefixOf(block, state)) === refBlockPrefix;
  };
}

/** How many blocks lie between the head and the referred block, going back. */
const distance = (head: number, refBlockNum: number) => (head - refBlockNum) & 0xffff;

/** The same going forward: small when the referred block is yet to come to our node. */
const blocksAhead = (refBlockNum: number, { headBlock }: ChainState) =>
  0x10000 - distance(headBlock, refBlockNum);

const toPrefix = (blockId: string) => Buffer.from(blockId, "hex").readUInt32LE(4);

/** The header of the next block names this block's id. */
async function readBlockId(client: HiveClient, block: number): Promise<string> {
  const next = block + 1;
  const header = await client
    .read("condenser_api.get_block_header", [next], Header)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return client.read("block_api.get_block_header", { block_num: next }, WrappedHeader);
    });
  if (Number.parseInt(header.previous.slice(0, 8), 16) !== block)
    throw new CodedError("chain_unavailable", { cause: new Error("header of another block") });
  return header.previous;
}
