import { existsSync } from "node:fs";
import { sandbox } from "../x402/sandbox.ts";
import { writePrivateFile } from "./private-file.ts";
import { filesOf, isKey, Settings } from "./settings.ts";
import { WalletError } from "./wallet-error.ts";

/** The answers of a new wallet's owner. */
export type NewWallet = {
  /** The account that pays, or null for the sandbox's payer. */
  account: string | null;
  /** The sandbox's addresses, if they are not the usual ones. */
  gateway: string | undefined;
  node: string | undefined;
  /** Returns the active key, which the owner types. */
  askKey: () => Promise<string>;
};

/** Writes the settings and the key of a new wallet, and returns the settings' path. @throws WalletError */
export async function createWallet(
  folder: string,
  { account, gateway, node, askKey }: NewWallet,
): Promise<string> {
  const files = filesOf(folder);
  for (const path of [files.settings, files.key])
    if (existsSync(path)) throw new WalletError(`${path} is there already. Nothing was written.`);
  const limits = { payUpTo: "0.100 HBD", maxPayment: "1.000 HBD", perDay: "1.000 HBD" };
  let key: string;
  let settings: unknown;
  if (account === null) {
    const {
      activeKey,
      facilitatorUrl,
      nodes,
      network,
      account: payer,
    } = sandbox({
      ...(gateway !== undefined && { gateway }),
      ...(node !== undefined && { node }),
    });
    key = activeKey;
    settings = { account: payer, allowedHosts: [new URL(facilitatorUrl).host], ...limits, network, nodes };
  } else {
    key = (await askKey()).trim();
    if (!isKey(key))
      throw new WalletError("That is no private key, which begins with 5. Nothing was written.");
    settings = { account, allowedHosts: ["shop.example.com"], ...limits };
  }
  const { data } = Settings.safeParse(settings);
  if (!data) throw new WalletError(`${account} is no account's name. Nothing was written.`);
  await writePrivateFile(files.key, `${key}\n`);
  await writePrivateFile(files.settings, `${JSON.stringify(data, null, 2)}\n`);
  return files.settings;
}
