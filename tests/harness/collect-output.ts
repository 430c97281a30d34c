import type { ChildProcess } from "node:child_process";

/** The server's log line, Next's, and the last line of a Node process that died of it. */
const signsOfUncaught = [
  /"msg":"(?:uncaught exception|unhandled rejection)"/,
  /(?:uncaughtException|unhandledRejection): /,
  /^Node\.js v\d+/m,
];

export type CollectedOutput = {
  /** The process's output so far, both streams. */
  output(): string;
  /** Calls with the output each time it grows. */
  onGrowth(read: (output: string) => void): void;
};

/**
 * Collects the output of a process under test. A reported uncaught exception fails the running test, even
 * where every expectation holds, unless the test expects it.
 */
export function collectOutput(
  child: ChildProcess,
  { expectsUncaught = false }: { expectsUncaught?: boolean } = {},
): CollectedOutput {
  let output = "";
  let isReported = false;
  const readers: Array<(output: string) => void> = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const read of readers) read(output);
      if (expectsUncaught || isReported || !signsOfUncaught.some((sign) => sign.test(output))) return;
      isReported = true;
      // Outside of every promise on purpose: the runners count that as a failure wherever the test stands.
      throw new Error(`a process under test reported an uncaught exception:\n${output.slice(-4000)}`);
    });
  return { output: () => output, onGrowth: (read) => readers.push(read) };
}
