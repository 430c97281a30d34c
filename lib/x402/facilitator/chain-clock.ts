import type { ChainState } from "../../hive/chain-state.ts";
import type { HiveClient } from "../../hive/client.ts";
import { readChainState } from "../../hive/read-chain-state.ts";

/** Young enough to judge by: a small part of a block's time. */
export const CLOCK_AGE_MS = 200;

/** The chain's state, at most `maxAgeMs` old; callers at the same time share one read. */
export type ChainClock = (maxAgeMs: number) => Promise<ChainState>;

/** Makes a clock that remembers its last reading. */
export function createChainClock(client: HiveClient): ChainClock {
  let last: { state: Promise<ChainState>; startedAtMs: number } | null = null;
  return (maxAgeMs) => {
    if (last && Date.now() - last.startedAtMs <= maxAgeMs) return last.state;
    const reading = { state: readChainState(client), startedAtMs: Date.now() };
    reading.state.catch(() => {
      if (last === reading) last = null;
    });
    last = reading;
    return reading.state;
  };
}
