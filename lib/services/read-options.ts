import { type ParseArgsConfig, parseArgs } from "node:util";

const EX_USAGE = 2;

/**
 * Reads the arguments of a command. `--help` prints `usage` and ends the process with status 0. Unknown
 * arguments end the process with status 2 before it has done anything.
 */
export function readOptions<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const args = process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!code?.startsWith("ERR_PARSE_ARGS")) throw error;
    // Node's own advice about `--` follows the first sentence.
    return refuse(message.split(". ")[0] ?? message);
  }
}

/** Ends the process of a command with an invalid argument. */
export function refuse(problem: string): never {
  console.error(`${problem}. What it takes: --help`);
  process.exit(EX_USAGE);
}
