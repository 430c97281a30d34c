import { PaymentError } from "./payment-error.ts";
import { type Head, readHead } from "./read-head.ts";

/** The chain's clock, as the payer last read it. */
export type ChainTime = {
  /** Reads the head for a new payment. @throws PaymentError as `readHead` */
  readHead(signal: AbortSignal): Promise<Head>;
  /**
   * The chain's time in ms since 1970: that of the last head that two nodes agreed on, where two are named, carried on by a
   * monotonic clock.
   * @throws PaymentError `chain_unavailable` when no such head was read before, and none can be
   */
  now(): Promise<number>;
};

/** Creates the clock of the chain that `nodes` (addresses) serve. */
export function createChainTime(nodes: readonly string[]): ChainTime {
  let last: { timeMs: number; readAtMs: number } | null = null;
  const read = async (signal?: AbortSignal) => {
    const head = await readHead(nodes, signal);
    if (head.isAgreed) last = { timeMs: head.timeMs, readAtMs: performance.now() };
    return head;
  };
  return {
    readHead: read,
    async now() {
      if (!last) await read();
      if (!last) throw new PaymentError("chain_unavailable", "No two nodes tell the time.");
      return last.timeMs + performance.now() - last.readAtMs;
    },
  };
}
