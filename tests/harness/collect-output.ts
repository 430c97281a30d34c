import type { ChildProcess } from "node:child_process";

/** The server's log line, Next's, and the last line of a Node process that an exception ended. */
const signsOfUncaught = [
  /"msg":"(?:uncaught exception|unhandled rejection)"/,
  /(?:uncaughtException|unhandledRejection): /,
  /^Node\.js v\d+/m,
];

export type CollectedOutput = {
  /** Returns the process's output so far, of both streams. */
  output(): string;
  /** Calls back with the output each time it grows. */
  onGrowth(read: (output: string) => void): void;
};

/**
 * Collects the output of a process under test. An uncaught exception that it reports fails the running test,
 * even if every expectation holds, unless the test expects the exception.
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
      // The error is thrown outside of every promise on purpose, so that the runners count it as a failure at
      // any point of a test.
      throw new Error(`a process under test reported an uncaught exception:\n${output.slice(-4000)}`);
    });
  return { output: () => output, onGrowth: (read) => readers.push(read) };
}
