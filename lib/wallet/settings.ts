import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { isAccountName } from "../hive/account-name.ts";
import { decodeWif } from "../hive/private-key.ts";
import { parseMils } from "../mils.ts";
import { readPrivateFile } from "./private-file.ts";
import { WalletError } from "./wallet-error.ts";

const MAX_SETTINGS_BYTES = 65_536;
const MAX_KEY_BYTES = 200;

const Amount = z.string().refine((text) => (parseMils(text) ?? 0) > 0, 'must be text such as "0.050 HBD"');
const Account = z.string().refine(isAccountName, "must be a chain account name");

/** The owner's settings, in `wallet.json`. No tool changes them. */
export const Settings = z.strictObject({
  /** The account that pays. */
  account: Account,
  /** Hosts that the wallet is allowed to call and pay: "shop.example", or "shop.example:8443". */
  allowedHosts: z.array(z.string().min(1)).min(1),
  /** Accounts that the wallet is allowed to pay; any by default. */
  allowedPayees: z.array(Account).min(1).optional(),
  /** The amount up to which the wallet pays without asking its owner; by default it always asks. */
  payUpTo: Amount.optional(),
  /** The maximum of one payment, approved or not. */
  maxPayment: Amount.default("1.000 HBD"),
  /** The maximum of all payments within 24 hours, approved or not. */
  perDay: Amount.default("5.000 HBD"),
  /** True to pay servers of version 2 that settle before they serve the request. */
  allowUpfront: z.boolean().optional(),
  /** Verifies what sellers sign: the DIDs that may sign by host, and if offers must be signed. */
  signedOffers: z
    .strictObject({ keys: z.record(z.string(), z.array(z.string())), required: z.boolean() })
    .partial()
    .optional(),
  /** The chain, if it is not Hive's main chain. */
  network: z.string().optional(),
  chainId: z.string().optional(),
  nodes: z.array(z.string()).min(1).optional(),
  /** The chat in which the wallet asks its owner. Without it, only the owner's command approves. */
  chat: z
    .strictObject({
      /** The public address of a Hivegate chat. */
      url: z.url({ protocol: /^https?$/ }).max(300),
      /** The account that approves, by a signature with its posting key. */
      owner: Account,
    })
    .optional(),
});
export type Settings = z.infer<typeof Settings>;

/**
 * The key of the payments that wait for their owner in the wallet's records, and their waiting time without a chat,
 * where a question is open for ten minutes.
 */
export const approvalsKept = { key: "wallet:approvals", waitingMs: 3_600_000 } as const;
export const ASKED_MS = 600_000;

/** The files of a wallet. */
export function filesOf(folder: string) {
  const path = (name: string) => join(folder, name);
  return {
    settings: path("wallet.json"),
    key: path("active.key"),
    postingKey: path("posting.key"),
    records: path("records.json"),
    receipts: path("receipts.jsonl"),
  };
}

/** Returns the wallet's folder: the given one, the one in `HIVEGATE_WALLET`, or `~/.hivegate`. */
export function folderOf(given: string | undefined): string {
  return resolve(given ?? (process.env.HIVEGATE_WALLET || join(homedir(), ".hivegate")));
}

/** Reads the settings of a wallet. @throws WalletError */
export async function readSettings(folder: string): Promise<Settings> {
  const { settings: path } = filesOf(folder);
  const text = await readPrivateFile(path, "from writers", MAX_SETTINGS_BYTES);
  if (text === null)
    throw new WalletError(`There is no wallet in ${folder}. Create one: npx hivegate mcp-wallet init`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new WalletError(`${path} is no JSON.`);
  }
  const { data, error } = Settings.safeParse(json);
  if (!data) throw new WalletError(`${path} is not right:\n${z.prettifyError(error)}`);
  return data;
}

/** The keys of a wallet: one that pays, and one that only proves the account, if the owner provides it. */
export type Keys = { activeKey: string; postingKey: string | undefined };

/**
 * Reads the keys from `HIVEGATE_ACTIVE_KEY` and `HIVEGATE_POSTING_KEY`, which it removes from the
 * environment, or from their files.
 * @throws WalletError if there is no valid key
 */
export async function takeKeys(folder: string): Promise<Keys> {
  const { key: path, postingKey: postingPath } = filesOf(folder);
  const activeKey = await takeKey("HIVEGATE_ACTIVE_KEY", path);
  const postingKey = await takeKey("HIVEGATE_POSTING_KEY", postingPath);
  if (!activeKey) throw new WalletError(`There is no key: write it to ${path}, or set HIVEGATE_ACTIVE_KEY.`);
  return { activeKey, postingKey };
}

async function takeKey(variable: string, path: string): Promise<string | undefined> {
  const fromEnvironment = process.env[variable];
  delete process.env[variable];
  const text = fromEnvironment || (await readPrivateFile(path, "from readers", MAX_KEY_BYTES));
  if (!text) return undefined;
  const key = text.trim();
  if (!isKey(key))
    throw new WalletError(`${fromEnvironment ? variable : path} is no private key, which begins with 5.`);
  return key;
}

/** Returns whether a text is a private key. */
export const isKey = (text: string): boolean => decodeWif(text) !== null;
