import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type Approval, createApprovals } from "../approvals/approvals.ts";
import { createWallet } from "./create-wallet.ts";
import { createFileStore } from "./file-store.ts";
import { approvalsKept, filesOf, folderOf, readSettings, takeKeys } from "./settings.ts";
import { openWallet } from "./wallet.ts";
import { WalletError } from "./wallet-error.ts";
import { createWalletServer } from "./wallet-tools.ts";

const USAGE = `Usage: npx hivegate mcp-wallet [--wallet FOLDER]

Serves a wallet to an agent, as an MCP server over stdio. Its folder is ~/.hivegate, HIVEGATE_WALLET or FOLDER.

  mcp-wallet init --account NAME    creates a wallet for an account, and asks for its active key
  mcp-wallet init --sandbox         creates one for the sandbox (--gateway URL, --node URL)
  mcp-wallet approvals              lists what waits for you
  mcp-wallet approve ID             lets the agent make that payment, once, within ten minutes
  mcp-wallet reject ID              removes it`;

const EX_USAGE = 2;

/** Runs the command `mcp-wallet` with its arguments. Returns the exit status, or null while it serves. */
export async function runMcpWallet(args: readonly string[], version: string): Promise<number | null> {
  try {
    return await run(args, version);
  } catch (error) {
    if (!(error instanceof WalletError)) throw error;
    // Nothing but the protocol is written to stdout.
    console.error(error.message);
    return 1;
  }
}

async function run(args: readonly string[], version: string): Promise<number | null> {
  const parsed = parse(args);
  if (typeof parsed === "string") {
    console.error(`${parsed}\n\n${USAGE}`);
    return EX_USAGE;
  }
  const { values, positionals } = parsed;
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const folder = folderOf(values.wallet);
  const [command, id, ...more] = positionals;
  if (command === undefined) {
    await serve(folder, version);
    return null;
  }
  if (
    command === "init" &&
    id === undefined &&
    (values.sandbox === true) !== (values.account !== undefined)
  ) {
    const { account = null, gateway, node } = values;
    const path = await createWallet(folder, { account, gateway, node, askKey });
    console.log(`Wrote ${path}, with the limits, the hosts and the payees of your agent: change them there.`);
    return 0;
  }
  if (command === "approvals" && id === undefined) return listApprovals(folder);
  if ((command === "approve" || command === "reject") && id !== undefined && more.length === 0)
    return decide(folder, command, id);
  console.error(USAGE);
  return EX_USAGE;
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const help = { ...flag, short: "h" } as const;
  const options = { wallet: text, account: text, gateway: text, node: text, sandbox: flag, help };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    return (error as Error).message;
  }
}

async function serve(folder: string, version: string): Promise<void> {
  const settings = await readSettings(folder);
  const keys = await takeKeys(folder);
  let wallet: ReturnType<typeof openWallet>;
  try {
    wallet = openWallet(folder, settings, keys);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new WalletError(`${filesOf(folder).settings} is not right: ${error.message}`);
  }
  serveStdio(() => createWalletServer(wallet, version));
  // An open chat would outlive the agent.
  for (const end of ["end", "close"]) process.stdin.once(end, wallet.close);
}

async function askKey(): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    process.stderr.write("The account's private active key: ");
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

const approvalsOf = (folder: string) =>
  createApprovals(createFileStore(filesOf(folder).records), approvalsKept);

async function listApprovals(folder: string): Promise<number> {
  const all = await approvalsOf(folder).list();
  console.log(all.length === 0 ? "Nothing waits for you." : all.map(lineOf).join("\n"));
  return 0;
}

async function decide(folder: string, verb: "approve" | "reject", id: string): Promise<number> {
  const decided = await approvalsOf(folder)[verb](id);
  if (!decided) throw new WalletError(`Nothing waits for you under ${id}.`);
  console.log(`${verb === "approve" ? "Approved" : "Rejected"}: ${lineOf(decided)}`);
  return 0;
}

/** Shows a payment without the control characters that a server could hide in it. */
const lineOf = ({ id, wanted: { amount, payTo, url }, state }: Approval) =>
  `${id}  ${amount} to ${payTo} for ${url.replaceAll(/[^!-~]/g, "?")} (${state})`;
