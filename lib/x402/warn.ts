/** Warns the operator; outside of Node, whose process alone takes warnings, on the console. */
export function warn(message: string, code: string): void {
  // At the edge there may be a `process` that is not Node's, and throws for what it does not know.
  const { process } = globalThis as {
    process?: { release?: { name?: string } } & Pick<NodeJS.Process, "emitWarning">;
  };
  if (process?.release?.name === "node") process.emitWarning(message, { code });
  else console.warn(`(${code}) ${message}`);
}
