import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { isSatisfied } from "../../../lib/hive/authority.ts";
import type { Packing } from "../../../lib/hive/packing.ts";
import { decodePublicKey } from "../../../lib/hive/public-key.ts";
import type { Chain } from "../chain.ts";
import { assertion, badType, unknownKey } from "../errors.ts";
import { packFor } from "../ledger/apply.ts";
import { verifyAuthority } from "../ledger/examine.ts";
import { recoverKeys } from "../ledger/validate.ts";
import {
  formatTime,
  readHex,
  readList,
  readObject,
  readText,
  readTime,
  readUnsigned,
} from "../parse/fields.ts";
import { parseTransaction } from "../parse/transaction.ts";
import type { Form } from "../render/account.ts";
import {
  renderBlock,
  renderChainProperties,
  renderConfig,
  renderGlobalProperties,
  renderHeader,
  renderIncluded,
  renderOperations,
  renderVersion,
} from "../render/block.ts";
import type { SignedTransaction } from "../types.ts";
import { accountHistory, findAccounts, keyReferences, namesFrom, readHistoryQuery } from "./accounts.ts";
import { type Api, type Context, readArguments, readLimit, readNames } from "./method.ts";

const blockOf = ({ chain }: Context, num: unknown) => chain.history.loadBlock(readUnsigned(num, 32));

/** The old API: positional arguments, amounts as text, operations as pairs. */
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

/** Returns the status of a transaction, in the words of `transaction_status_api`. */
export function findStatus(chain: Chain, id: string, expiration: unknown) {
  if (chain.isInPool(id)) return { status: "within_mempool" };
  const included = chain.history.findTransaction(id);
  if (included) {
    const isFinal = included.blockNum <= chain.lastIrreversible();
    return {
      status: isFinal ? "within_irreversible_block" : "within_reversible_block",
      block_num: included.blockNum,
      rc_cost: included.resourceCost,
    };
  }
  return { status: expiration === undefined ? "unknown" : statusAfter(chain, readTime(expiration)) };
}

function statusAfter(chain: Chain, expiration: number): string {
  if (expiration > chain.head().time) return "unknown";
  const irreversible = chain.history.loadBlock(chain.lastIrreversible());
  return irreversible && expiration < irreversible.time ? "expired_irreversible" : "expired_reversible";
}

/**
 * Returns the transaction with this id, and its place. @throws ChainFault if it is in no block, or only in a
 * reversible one that does not count
 */
export function getTransaction(chain: Chain, id: string, form: Form, includesReversible: boolean) {
  const included = chain.history.findTransaction(id);
  const isShown = included && (includesReversible || included.blockNum <= chain.lastIrreversible());
  if (!isShown) throw assertion("false", "Unknown Transaction <id>", { id });
  return renderIncluded(included, form, chain);
}

/** Reads a transaction id: 40 hex digits of either case. @throws ChainFault for other characters */
export function readTransactionId(value: unknown): string {
  return bytesToHex(readHex(value, 20));
}

/** Accepts a transaction and waits for its block. */
async function broadcastAndWait(chain: Chain, value: unknown) {
  const { id, transaction } = await chain.push(parseTransaction(value, chain.symbols));
  for (;;) {
    await chain.nextBlock();
    const included = chain.history.findTransaction(id);
    if (included)
      return {
        id,
        block_num: included.blockNum,
        trx_num: included.trxNum,
        rc_cost: included.resourceCost,
        expired: false,
      };
    if (!chain.isInPool(id) || transaction.expiration < chain.head().time)
      throw assertion("false", "Transaction expired at <time>", { time: formatTime(transaction.expiration) });
  }
}

/** Returns the whole transaction in binary, including signatures, as hex digits. */
function toHex({ symbols }: Chain, transaction: SignedTransaction, packing: Packing): string {
  const count = Uint8Array.of(transaction.signatures.length);
  return bytesToHex(concatBytes(packFor(symbols, transaction, packing), count, ...transaction.signatures));
}
