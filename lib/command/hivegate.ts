#!/usr/bin/env node
import { readFileSync } from "node:fs";

/** The version of the built package that contains this file. */
function readVersion(): string {
  try {
    const manifest = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8"));
    return (manifest as { version: string }).version;
  } catch {
    return "0.0.0";
  }
}

/** Loads the wallet, which needs packages that only its users install. */
async function loadWallet() {
  try {
    return await import("../wallet/mcp-wallet.ts");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    console.error(
      "npx hivegate mcp-wallet needs two packages beside hivegate: npm install @modelcontextprotocol/server zod",
    );
    return null;
  }
}

// Each command is loaded only when it is called.
const [command, ...args] = process.argv.slice(2);
if (command === "mcp-wallet") {
  const wallet = await loadWallet();
  const status = wallet ? await wallet.runMcpWallet(args, readVersion()) : 1;
  if (status !== null) process.exitCode = status;
} else await import("../init/init.ts");
