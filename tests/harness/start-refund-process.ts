import { fork } from "node:child_process";
import { once } from "node:events";
import type { Refund } from "../../lib/x402/refunds/index.ts";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

/** Steps of a refund, in order. A process killed in one of them has completed the steps before it. */
export const refundPlacesToDie = [
  "before the record",
  "after the record",
  "after the broadcast",
  "before the block is written down",
  "after the block is written down",
] as const;

export type RefundProcessOptions = {
  /** The folder of the recorded refunds. */
  dataDir: string;
  account: string;
  activeKey: string;
  nodes: readonly string[];
  chainId: string;
  /** The payment to refund. */
  txId: string;
  diesAt?: (typeof refundPlacesToDie)[number];
};

/**
 * Refunds a payment in a separate process, which ends once the refund is done or kills itself at `diesAt`.
 * `ended` resolves to the refund, if the process survived, and to the signal that ended it otherwise.
 */
export function startRefundProcess(options: RefundProcessOptions) {
  const child = fork(bundleOf("tests/harness/serve-refund-process.ts"), [JSON.stringify(options)], {
    silent: true,
  });
  const { output } = collectOutput(child);
  let refund: Refund | null = null;
  child.on("message", (word) => {
    refund = word as Refund;
  });
  const ended = once(child, "close").then(([, signal]) => ({ refund, signal: signal as string | null }));
  return {
    output,
    ended,
    async close() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
