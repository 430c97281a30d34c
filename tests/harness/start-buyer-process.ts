import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

export type BuyerProcessOptions = {
  url: string;
  /** The folder of the pending payments. */
  dataDir: string;
  account: string;
  activeKey: string;
  nodes: readonly string[];
  chainId: string;
  /** True if the process reads the answer's body to its end. */
  reads: boolean;
};

/** Pays for an address in a separate process, which can be killed. `words` lists its messages. */
export function startBuyerProcess(options: BuyerProcessOptions) {
  const child = fork(bundleOf("tests/harness/serve-buyer-process.ts"), [JSON.stringify(options)], {
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
