import { isSatisfied } from "../../../lib/hive/authority.ts";
import { decodePublicKey } from "../../../lib/hive/public-key.ts";
import type { Chain } from "../chain.ts";
import { assertion, badType, unknownKey } from "../errors.ts";
import { recoverKeys } from "../ledger/authorities.ts";
import { verifyAuthority } from "../ledger/examine.ts";
import { readHex, readList, readObject, readText, readUnsigned } from "../parse/fields.ts";
import { parseTransaction } from "../parse/transaction.ts";
import { renderBlock, renderHeader, renderOperations } from "../render/block.ts";
import {
  renderChainProperties,
  renderConfig,
  renderGlobalProperties,
  renderVersion,
} from "../render/chain-properties.ts";
import { accountHistory, findAccounts, keyReferences, namesFrom, readHistoryQuery } from "./accounts.ts";
import { type Api, type Context, readArguments, readLimit, readNames } from "./method.ts";
import { broadcastAndWait, getTransaction, readTransactionId, toHex } from "./transactions.ts";

const blockOf = ({ chain }: Context, num: unknown) => chain.history.loadBlock(readUnsigned(num, 32));

/** The old API: positional arguments, amounts as texts, operations as pairs. */
export const condenserApi: Api = {
  get_dynamic_global_properties: (_, { chain, head }) => renderGlobalProperties(chain, head, "text"),
  get_chain_properties: (_, { chain }) => renderChainProperties(chain),
  get_version: (_, { chain }) => renderVersion(chain),
  get_config: (_, { chain }) => renderConfig(chain),
  get_hardfork_version: () => "1.28.0",
  get_accounts(params, context) {
    const [names] = readArguments(params, 1, 2);
    return findAccounts(context, readNames(names), "text");
  },
  lookup_accounts(params, context) {
    const [start, limit] = readArguments(params, 2, 3);
    return namesFrom(context, readText(start), readLimit(limit, 1000, 1000));
  },
  get_key_references(params, context) {
    const [keys] = readArguments(params, 1, 1);
    return keyReferences(context, readNames(keys));
  },
  async broadcast_transaction(params, { chain }) {
    const [transaction] = readArguments(params, 1, 1);
    await chain.push(parseTransaction(transaction, chain.symbols));
    return {};
  },
  broadcast_transaction_synchronous(params, { chain }) {
    const [transaction] = readArguments(params, 1, 1);
    return broadcastAndWait(chain, transaction);
  },
  async verify_authority(params, { chain }) {
    const [value] = readArguments(params, 1, 1);
    const transaction = parseTransaction(value, chain.symbols);
    await verifyAuthority(transaction, "legacy", { ...chain, state: chain.pending() });
    return true;
  },
  get_transaction_hex(params, { chain }) {
    const [value] = readArguments(params, 1, 1);
    return toHex(chain, parseTransaction(value, chain.symbols), "legacy");
  },
  get_transaction(params, { chain }) {
    const [id] = readArguments(params, 1, 1);
    return getTransaction(chain, readTransactionId(id), "text", false);
  },
  get_account_history(params, { chain }) {
    const [account, start, limit, filterLow, filterHigh] = readArguments(params, 3, 5);
    return accountHistory(chain, readHistoryQuery({ account, start, limit, filterLow, filterHigh }), "text");
  },
  get_block(params, context) {
    const [num] = readArguments(params, 1, 1);
    const block = blockOf(context, num);
    return block && renderBlock(block, "text", context.chain);
  },
  get_block_header(params, context) {
    const [num] = readArguments(params, 1, 1);
    const block = blockOf(context, num);
    return block && renderHeader(block);
  },
  get_ops_in_block(params, context) {
    const [num, isOnlyVirtual] = readArguments(params, 1, 3);
    const block = blockOf(context, num);
    return block && isOnlyVirtual !== true ? renderOperations(block, "text", context.chain) : [];
  },
};

const roles = ["owner", "active", "posting"] as const;

/** The newer API: named arguments, amounts as objects, operations with a type. */
export const databaseApi: Api = {
  get_dynamic_global_properties: (_, { chain, head }) => renderGlobalProperties(chain, head, "nai"),
  get_version: (_, { chain }) => renderVersion(chain),
  get_config: (_, { chain }) => renderConfig(chain),
  find_witnesses: () => ({ witnesses: [] }),
  find_accounts(params, context) {
    return { accounts: findAccounts(context, readNames(readObject(params).accounts), "nai") };
  },
  list_accounts(params, context) {
    const { start, limit } = readObject(params);
    const names = namesFrom(context, typeof start === "string" ? start : "", readLimit(limit, 1000, 1000));
    return { accounts: findAccounts(context, names, "nai") };
  },
  async verify_authority(params, { chain }) {
    const { trx, pack } = readObject(params);
    const packing = pack === "hf26" ? "hf26" : "legacy";
    const transaction = parseTransaction(trx, chain.symbols);
    await verifyAuthority(transaction, packing, { ...chain, state: chain.pending() });
    return { valid: true };
  },
  async verify_account_authority(params, { chain }) {
    const { account, signers, level = "active" } = readObject(params);
    const role = roles.find((one) => one === level);
    if (!role) throw badType("Invalid cast from type to authority_level");
    const keys = readNames(signers).map(readKey);
    return { valid: await satisfies(chain, readText(account), role, keys) };
  },
  async verify_signatures(params, { chain }) {
    const fields = readObject(params);
    const digest = readHex(fields.hash, 32);
    const keys = recoverKeys(
      digest,
      readList(fields.signatures).map((signature) => readHex(signature, 65)),
    );
    const needs = roles.flatMap((role) =>
      readNames(fields[`required_${role}`]).map((name) => ({ role, name })),
    );
    const answers = await Promise.all(needs.map(({ role, name }) => satisfies(chain, name, role, keys)));
    return { valid: answers.every(Boolean) };
  },
  get_transaction_hex(params, { chain }) {
    return { hex: toHex(chain, parseTransaction(readObject(params).trx, chain.symbols), "hf26") };
  },
};

function readKey(text: string): Uint8Array {
  try {
    return decodePublicKey(text);
  } catch {
    throw assertion("b58_with_prefix.substr( 0, prefix_len ) == prefix", "Invalid public key");
  }
}

function satisfies(chain: Chain, name: string, role: (typeof roles)[number], keys: readonly Uint8Array[]) {
  const { accounts } = chain.pending();
  const account = accounts.get(name);
  if (!account) throw unknownKey(name);
  return isSatisfied(account[role], keys, async (other) => accounts.get(other)?.[role] ?? null);
}
