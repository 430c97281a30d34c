import { type ChainState, readChainState } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";

/** Young enough to judge by: a small part of a block's time. */
export const CLOCK_AGE_MS = 200;
/** Nodes of one chain are a block or two apart; with more between them, one of them is wrong. */
const MAX_APART_MS = 15_000;
const MAX_APART_BLOCKS = 5;

/** Where the chain stands by the word of two nodes: the state of the one that is further. */
export type ChainStanding = ChainState & {
  /** Chain time that both have reached, in ms since 1970: what has ended by then has ended. */
  reachedTimeMs: number;
  /** What each of them showed. */
  views: readonly ChainState[];
};

/** Where the chain stands, at most `maxAgeMs` ago; callers at the same time share one read. */
export type ChainClock = (maxAgeMs: number) => Promise<ChainStanding>;

/**
 * Reads where the chain stands; the last irreversible block is one that both nodes have.
 * @throws CodedError `chain_unavailable` when no two nodes are at about the same block
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

/** Creates a clock that remembers its last reading; `now` is a monotonic clock in ms. */
export function createChainClock(
  client: HiveClient,
  { isOneEnough, now = () => performance.now() }: { isOneEnough: boolean; now?: (() => number) | undefined },
): ChainClock {
  let last: { standing: Promise<ChainStanding>; startedAtMs: number } | null = null;
  return (maxAgeMs) => {
    if (last && now() - last.startedAtMs <= maxAgeMs) return last.standing;
    const reading = { standing: readStanding(client, { isOneEnough }), startedAtMs: now() };
    reading.standing.catch(() => {
      if (last === reading) last = null;
    });
    last = reading;
    return reading.standing;
  };
}
