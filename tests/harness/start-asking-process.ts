import { fork } from "node:child_process";
import { once } from "node:events";
import type { PaymentQuestion } from "../../lib/approvals/index.ts";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

export type AskingProcessOptions = {
  url: string;
  /** The folder of the questions, approvals and payments. */
  dataDir: string;
  owner: string;
  chatUrl: string;
  /** The agent's token for the chat. */
  token: string;
  question: PaymentQuestion;
  account: string;
  activeKey: string;
  nodes: readonly string[];
  chainId: string;
};

/**
 * Asks for an address's payment in a separate process, which can be killed, or continues what the process
 * before it left. `words` lists its messages.
 */
export function startAskingProcess(options: AskingProcessOptions) {
  const child = fork(bundleOf("tests/harness/serve-asking-process.ts"), [JSON.stringify(options)], {
    silent: true,
  });
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
