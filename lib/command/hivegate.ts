#!/usr/bin/env node
import { readFileSync } from "node:fs";

/** The version of the package that this file lies in, once it is built. */
function readVersion(): string {
  try {
    const manifest = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
    return (manifest as { version: string }).version;
  } catch {
    return "0.0.0";
  }
}

// Each command is loaded when it is called.
const [command, ...args] = process.argv.slice(2);
if (command === "mcp-wallet") {
  const { runMcpWallet } = await import("../wallet/mcp-wallet.ts");
  const status = await runMcpWallet(args, readVersion());
  if (status !== null) process.exitCode = status;
} else await import("../init/init.ts");
