import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { forgetOldest } from "../../async/cache.ts";
import { CodedError } from "../../errors.ts";
import { ChainError, isUnknownMethod } from "../../hive/chain-node.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import { type ChainState, readChainState } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";

/** Maximum age of a usable head, a small part of the time between blocks. */
export const CLOCK_AGE_MS = 200;
/** Nodes of one chain are a block or two apart. If they are further apart, one of them is wrong. */
const MAX_APART_MS = 15_000;
const MAX_APART_BLOCKS = 5;

/** The chain's state on which two nodes agree, taken from the one that is further ahead. */
export type ChainStanding = ChainState & {
  /**
   * Chain time that both nodes have reached, in ms since 1970. Anything that expired earlier has expired for
   * both.
   */
  reachedTimeMs: number;
  /** The state of each node. */
  views: readonly ChainState[];
};

/** Returns a standing of at most `maxAgeMs`; a negative age forces a new read. Concurrent callers share one read. */
export type ChainClock = (maxAgeMs: number) => Promise<ChainStanding>;

/**
 * Reads the chain's standing. The last irreversible block is one that both nodes have.
 * @throws CodedError `chain_unavailable` if no two nodes are at about the same block
 */
export async function readStanding(
  client: HiveClient,
  options: { isOneEnough: boolean; signal?: AbortSignal | undefined },
): Promise<ChainStanding> {
  const views = await client.agree((node) => readChainState(node), {
    ...options,
    isSame: (one, other) =>
      Math.abs(one.headTimeMs - other.headTimeMs) <= MAX_APART_MS &&
      Math.abs(one.headBlock - other.headBlock) <= MAX_APART_BLOCKS,
  });
  const furthest = views.reduce((one, other) => (other.headBlock > one.headBlock ? other : one));
  return {
    ...furthest,
    irreversibleBlock: Math.min(...views.map(({ irreversibleBlock }) => irreversibleBlock)),
    reachedTimeMs: Math.min(...views.map(({ headTimeMs }) => headTimeMs)),
    views,
  };
}

/** Creates a clock that caches its last reading. */
export function createChainClock(client: HiveClient, { isOneEnough }: { isOneEnough: boolean }): ChainClock {
  let last: { standing: Promise<ChainStanding>; startedAtMs: number } | null = null;
  return (maxAgeMs) => {
    if (last && performance.now() - last.startedAtMs <= maxAgeMs) return last.standing;
    const reading = { standing: readStanding(client, { isOneEnough }), startedAtMs: performance.now() };
    reading.standing.catch(() => {
      if (last === reading) last = null;
    });
    last = reading;
    return reading.standing;
  };
}

const REMEMBERED_BLOCKS = 4096;
const MAX_BLOCKS_AHEAD = 4;
const WAIT_FOR_BLOCK_MS = 1200;
const MAX_TRIES = 4;

const BlockId = z.string().regex(/^[0-9a-f]{40}$/);
const Header = z.object({ previous: BlockId });
const WrappedHeader = z.object({ header: Header }).transform(({ header }) => header);

export type Reference = { refBlockNum: number; refBlockPrefix: number };

/**
 * Finds the number of the block that a transaction refers to, or null if it is not among the chain's last 65,536.
 * @throws CodedError `chain_unavailable`
 */
export type CheckTapos = (reference: Reference, signal?: AbortSignal) => Promise<number | null>;

/** Creates the lookup, which caches the prefixes of irreversible blocks. */
export function createTaposCheck(client: HiveClient, clock: ChainClock): CheckTapos {
  const prefixes = new Map<number, number>();

  const remember = (block: number, prefix: number) => {
    prefixes.set(block, prefix);
    forgetOldest(prefixes, REMEMBERED_BLOCKS);
  };

  /**
   * One node's answer is enough to proceed, because the chain itself decides later. To refuse, two nodes must
   * agree.
   */
  const hasPrefix = async (
    block: number,
    prefix: number,
    { views, irreversibleBlock }: ChainStanding,
    signal: AbortSignal | undefined,
  ): Promise<boolean> => {
    const heads = views.filter(({ headBlock }) => headBlock === block);
    if (heads.some(({ headBlockId }) => toPrefix(headBlockId) === prefix)) return true;
    if (heads.length === views.length) return false;
    if (prefixes.get(block) === prefix) return true;
    const isFound = await readBlockId(client, block, signal).then(
      (id) => toPrefix(id) === prefix,
      (error: unknown) => {
        if (error instanceof ChainError || error instanceof CodedError) return false;
        throw error;
      },
    );
    if (isFound && block <= irreversibleBlock) remember(block, prefix);
    if (isFound) return true;
    const [id] = await client.agree((node) => readBlockId(node, block, signal), { signal });
    return toPrefix(id) === prefix;
  };

  return async ({ refBlockNum, refBlockPrefix }, signal) => {
    let standing = await clock(CLOCK_AGE_MS);
    // The payer's node may be a block or two ahead of ours.
    for (
      let tries = 0;
      tries < MAX_TRIES && blocksAhead(refBlockNum, standing) <= MAX_BLOCKS_AHEAD;
      tries++
    ) {
      if (tries > 0) await wait(WAIT_FOR_BLOCK_MS, undefined, { signal });
      standing = await clock(0);
    }
    const block = standing.headBlock - distance(standing.headBlock, refBlockNum);
    return block > 0 && (await hasPrefix(block, refBlockPrefix, standing, signal)) ? block : null;
  };
}

/** Returns the number of blocks from the head back to the referenced block. */
const distance = (head: number, refBlockNum: number) => (head - refBlockNum) & 0xffff;

/**
 * Returns the number of blocks from the head forward, which is small if our node has yet to see the
 * referenced block.
 */
const blocksAhead = (refBlockNum: number, { headBlock }: ChainStanding) =>
  0x10000 - distance(headBlock, refBlockNum);

const toPrefix = (blockId: string) => Buffer.from(blockId, "hex").readUInt32LE(4);

/** Reads the id of a block, which the header of the next block contains. */
async function readBlockId(
  chain: ChainReader,
  block: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const next = block + 1;
  const header = await chain
    .read("condenser_api.get_block_header", [next], Header, { signal })
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return chain.read("block_api.get_block_header", { block_num: next }, WrappedHeader, { signal });
    });
  if (Number.parseInt(header.previous.slice(0, 8), 16) !== block)
    throw new CodedError("chain_unavailable", { cause: new Error("header of another block") });
  return header.previous;
}
