import { fork } from "node:child_process";
import { once } from "node:events";
import { bundleOf } from "./bundled-processes.ts";
import { collectOutput } from "./collect-output.ts";

export type BuyerProcessOptions = {
  url: string;
  /** Where it keeps its payments on their way. */
  dataDir: string;
  account: string;
  activeKey: string;
  nodes: readonly string[];
  chainId: string;
  /** Whether it reads the answer's body to its end. */
  reads: boolean;
};

/** Pays for an address in a process of its own, which can be killed; `told` gives its next word. */
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
