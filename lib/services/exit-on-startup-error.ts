import { ConfigError } from "../config.ts";

const EX_CONFIG = 78;

/** Ends a process that can't start: what its operator can mend is told in words alone, a bug with its stack. */
export function refuseStart(error: unknown): never {
  if (error instanceof ConfigError) {
    console.error(error.message);
    process.exit(EX_CONFIG);
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  const isOperators = syscall !== undefined || code?.startsWith("ERR_PARSE_ARGS");
  console.error(isOperators ? `Hivegate can't start: ${message}` : error);
  process.exit(1);
}
