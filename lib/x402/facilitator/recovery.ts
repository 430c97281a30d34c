import { type Lease, takeLease } from "../../store/lease.ts";
import type { Store } from "../../store/store.ts";

const LEASE_KEY = "x402:recovery";
/** The interval at which a waiting process tries to take over the rounds. */
const ASK_EVERY_MS = 1000;

/** The rounds that advance open payments. */
export type Recovery = {
  /** Ends the rounds and lets another process take them over. Never rejects. */
  end(): Promise<void>;
};

/**
 * Starts the rounds of recovery. One process on a store runs them, and another takes over when it ends or
 * dies.
 */
export function startRecovery(options: {
  store: Pick<Store, "setIfAbsent" | "replace" | "deleteIf">;
  recover: () => Promise<void>;
  everyMs: number;
  /** Called at once and then every `everyMs`, even in processes that only wait for their turn. */
  onRound: () => void;
  onFault: ((error: unknown) => void) | undefined;
}): Recovery {
  const { store, recover, everyMs, onRound, onFault } = options;
  let lease: Lease | null = null;
  let hasEnded = false;
  let next: NodeJS.Timeout | undefined;
  let taking: Promise<unknown> = Promise.resolve();

  const take = async () => {
    lease = await takeLease(store, LEASE_KEY);
  };

  const run = async (): Promise<void> => {
    try {
      if (lease?.isLost) lease = null;
      if (!lease) {
        taking = take();
        await taking;
      }
      if (lease && !hasEnded) await recover();
    } catch (error) {
      onFault?.(error);
    }
    if (hasEnded) return void lease?.release();
    next = setTimeout(run, lease ? everyMs : Math.min(ASK_EVERY_MS, everyMs));
    next.unref();
  };
  const rounds = setInterval(onRound, everyMs);
  rounds.unref();
  onRound();
  void run();
  return {
    async end() {
      hasEnded = true;
      clearInterval(rounds);
      clearTimeout(next);
      // A lease that is being taken would stay in the store.
      await taking.catch(() => undefined);
      await lease?.release();
    },
  };
}
