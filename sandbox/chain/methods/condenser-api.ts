import { verifyAuthority } from "../ledger/examine.ts";
import { readText, readUnsigned } from "../parse/fields.ts";
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
