import { CodedError } from "../errors.ts";

/**
 * The error of a store that can't be opened, reached or written to: 503 `degraded` with `Retry-After`.
 * Only the fault's name and code are kept, because clients of Redis put whole commands into their messages.
 */
export function storeFailure(fault: unknown): CodedError {
  if (fault instanceof CodedError) return fault;
  const { name, code } = fault as { name?: unknown; code?: unknown };
  const cause = new Error(`store: ${String(name ?? "Error")}${code === undefined ? "" : ` ${String(code)}`}`);
  return new CodedError("degraded", { cause });
}
