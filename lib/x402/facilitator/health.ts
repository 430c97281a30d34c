import type { Store } from "../../store/store.ts";
import type { ChainClock } from "./chain-clock.ts";

const MAX_LAG_SECONDS = 60;

export type HealthResponse = {
  status: "ok" | "degraded";
  network: string;
  headBlock: number | null;
  chainLagSeconds: number | null;
  store: "ok" | "unavailable";
  /** What is at fault when degraded. */
  failing?: Array<"chain" | "store">;
};

/** Asks chain and store whether payments could be settled just now. */
export async function readHealth(parts: {
  clock: ChainClock;
  store: Store;
  network: string;
}): Promise<HealthResponse> {
  const [state, isStoreUp] = await Promise.all([
    parts.clock(1000).catch(() => null),
    parts.store.ping().then(
      () => true,
      () => false,
    ),
  ]);
  const lag = state && Math.max(0, Math.round((Date.now() - state.headTimeMs) / 1000));
  const isChainUp = lag !== null && lag <= MAX_LAG_SECONDS;
  const failing: HealthResponse["failing"] = [
    ...(isChainUp ? [] : (["chain"] as const)),
    ...(isStoreUp ? [] : (["store"] as const)),
  ];
  return {
    status: failing.length === 0 ? "ok" : "degraded",
    network: parts.network,
    headBlock: state?.headBlock ?? null,
    chainLagSeconds: lag,
    store: isStoreUp ? "ok" : "unavailable",
    ...(failing.length > 0 && { failing }),
  };
}
