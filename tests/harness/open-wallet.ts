import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach } from "vitest";
import { networkNames } from "../../lib/chains.ts";
import { type Shop, wifOf } from "./start-shop.ts";

const execute = promisify(execFile);

/** The wallet's command, from its sources. */
export const walletCommand = {
  command: process.execPath,
  args: ["--import", import.meta.resolve("tsx"), resolve("lib/command/hivegate.ts"), "mcp-wallet"],
};

/** The answer of one of the wallet's tools. */
export type WalletAnswer = { isError: boolean; value: Record<string, unknown> & { [name: string]: unknown } };

/** Opens alice's wallets on a shop's chain, each in its own folder. They end with the test. */
export function walletsOf(shop: Shop) {
  const folders: string[] = [];
  const clients: Client[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close().catch(() => {})));
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  return (settings: Record<string, unknown> = {}) => {
    const folder = mkdtempSync(join(tmpdir(), "hivegate-wallet-"));
    folders.push(folder);
    const write = (name: string, text: string, mode = 0o600) =>
      writeFileSync(join(folder, name), text, { mode });
    write(
      "wallet.json",
      JSON.stringify({
        ...{ account: "alice", allowedHosts: ["127.0.0.1"], payUpTo: "0.100 HBD" },
        ...{ network: networkNames(shop.chain.chainId)[0], nodes: shop.chain.urls },
        ...settings,
      }),
    );
    write("active.key", wifOf("alice"));

    /** Starts the wallet. `call` calls one of its tools. */
    const start = async (env: Record<string, string> = {}) => {
      const transport = new StdioClientTransport({
        ...{ command: walletCommand.command, args: [...walletCommand.args, "--wallet", folder] },
        ...{ env: { PATH: process.env.PATH ?? "", ...env }, stderr: "pipe" },
      });
      let stderr = "";
      transport.stderr?.on("data", (chunk) => {
        stderr += String(chunk);
      });
      const client = new Client({ name: "agent", version: "1.0.0" });
      clients.push(client);
      await client.connect(transport);
      const call = async (name: string, given: Record<string, unknown> = {}): Promise<WalletAnswer> => {
        const result = await client.callTool({ name, arguments: given });
        return {
          isError: result.isError === true,
          value: (result.structuredContent ?? {}) as WalletAnswer["value"],
        };
      };
      return { client, call, pid: transport.pid ?? 0, stderr: () => stderr };
    };

    /** Runs the owner's command. */
    const run = async (...args: string[]) => {
      const { command, args: first } = walletCommand;
      return execute(command, [...first, ...args, "--wallet", folder]).then(
        ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ status: code as number, stdout, stderr }),
      ) as Promise<{ status: number; stdout: string; stderr: string }>;
    };

    return { folder, write, start, run };
  };
}
