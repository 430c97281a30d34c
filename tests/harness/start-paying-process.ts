import { fork } from "node:child_process";
import { once } from "node:events";
import type { PaymentQuestion } from "../../lib/approvals/index.ts";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

type Purse = { account: string; activeKey: string; nodes: readonly string[]; chainId: string };

export type BuyerProcessOptions = Purse & {
  url: string;
  /** The folder of the pending payments. */
  dataDir: string;
  /** True if the process reads the answer's body to its end. */
  reads: boolean;
};

export type AskingProcessOptions = Purse & {
  url: string;
  /** The folder of the questions, approvals and payments. */
  dataDir: string;
  owner: string;
  chatUrl: string;
  /** The agent's token for the chat. */
  token: string;
  question: PaymentQuestion;
};

/** Pays for an address in a separate process, which can be killed. `words` lists its messages. */
export const startBuyerProcess = (options: BuyerProcessOptions) =>
  start("tests/harness/serve-buyer-process.ts", options);

/**
 * Asks for an address's payment in a separate process, which can be killed, or continues what the process
 * before it left. `words` lists its messages.
 */
export const startAskingProcess = (options: AskingProcessOptions) =>
  start("tests/harness/serve-asking-process.ts", options);

function start(source: Parameters<typeof bundleOf>[0], options: BuyerProcessOptions | AskingProcessOptions) {
  const child = fork(bundleOf(source), [JSON.stringify(options)], { silent: true });
  const { output } = collectOutput(child);
  const exited = once(child, "exit");
  const words: unknown[] = [];
  child.on("message", (word) => words.push(word));
  return {
    words,
    output,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
