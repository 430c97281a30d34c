import { bundleOf } from "./bundled-processes.ts";
import { type EndedCommand, startCommand } from "./start-command.ts";
import { type Shop, wifOf } from "./start-shop.ts";

/** Runs the command of `npm run refund` for the account `shop` of a shop's chain, until it ends. */
export async function runRefund(
  { chain }: Pick<Shop, "chain">,
  dataDir: string,
  {
    args = [],
    settings = { REFUND_KEY: wifOf("shop") },
  }: { args?: readonly string[]; settings?: Readonly<Record<string, string>> } = {},
): Promise<EndedCommand> {
  const ended = await startCommand(process.execPath, [bundleOf("lib/cli/refund.ts"), ...args], {
    settings: {
      ...{ NODE_ENV: "production", DATA_DIR: dataDir, PAYWALL_ACCOUNT: "shop" },
      ...{ HIVE_NODES: chain.urls.join(","), HIVE_CHAIN_ID: chain.chainId },
      ...settings,
    },
    cwd: dataDir,
  });
  if ("url" in ended) throw new Error("the command serves nothing");
  return ended;
}
