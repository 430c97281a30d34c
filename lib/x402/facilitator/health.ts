import { createClockCheck, TOLERATED_SECONDS } from "../../hive/chain-state.ts";
import type { Store } from "../../store/store.ts";
import type { HealthResponse } from "../types.ts";
import type { ChainClock } from "./chain-clock.ts";

export type Health = {
  /** Reports whether chain and store currently allow payments to be settled. */
  read(): Promise<HealthResponse>;
  /** Compares this machine's clock with the chain's, if the chain answers. */
  watchClock(): Promise<void>;
};

/**
 * Creates the health check of a facilitator. `onClock` is called with the deviation of this machine's clock,
 * and with 0 once it is right again.
 */
export function createHealth(parts: {
  clock: ChainClock;
  store: Store;
  network: string;
  /** Described at `trustNote`. */
  trustNote: string | null;
  onClock: ((aheadSeconds: number) => void) | undefined;
}): Health {
  const check = createClockCheck();
  let toldSeconds = 0;

  const look = async () => {
    const state = await parts.clock(1000);
    const { lagMs, isChainUp, aheadMs } = check.read(state.headTimeMs);
    const aheadSeconds = Math.round(aheadMs / 1000);
    const isOtherVerdict = (aheadSeconds !== 0) !== (toldSeconds !== 0);
    if (isOtherVerdict || Math.abs(aheadSeconds - toldSeconds) > TOLERATED_SECONDS) {
      toldSeconds = aheadSeconds;
      parts.onClock?.(aheadSeconds);
    }
    return { headBlock: state.headBlock, lagSeconds: Math.round(lagMs / 1000), isChainUp, aheadSeconds };
  };

  return {
    async read() {
      const [chain, isStoreUp] = await Promise.all([
        look().catch(() => null),
        parts.store.ping().then(
          () => true,
          () => false,
        ),
      ]);
      const failing: HealthResponse["failing"] = [
        ...(chain?.isChainUp ? [] : (["chain"] as const)),
        ...(isStoreUp ? [] : (["store"] as const)),
        ...(chain?.aheadSeconds ? (["clock"] as const) : []),
      ];
      return {
        status: failing.length === 0 ? "ok" : "degraded",
        network: parts.network,
        headBlock: chain?.headBlock ?? null,
        chainLagSeconds: chain?.lagSeconds ?? null,
        store: isStoreUp ? "ok" : "unavailable",
        ...(failing.length > 0 && { failing }),
        ...(parts.trustNote !== null && { warnings: [parts.trustNote] }),
        ...(chain?.aheadSeconds && { clockAheadSeconds: chain.aheadSeconds }),
      };
    },
    watchClock: () =>
      look().then(
        () => undefined,
        () => undefined,
      ),
  };
}
