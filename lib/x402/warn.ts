/** Warns the operator; outside of Node, where no process takes warnings, on the console. */
export function warn(message: string, code: string): void {
  if (typeof process === "object" && typeof process.emitWarning === "function")
    process.emitWarning(message, { code });
  else console.warn(`(${code}) ${message}`);
}
