import { assertion } from "../errors.ts";
import { formatTime, readList, readObject, readText, readUnsigned } from "../parse/fields.ts";
import { parseTransaction } from "../parse/transaction.ts";
import { createAssetRenderer, renderResources } from "../render/account.ts";
import { renderBlock, renderHeader, renderOperations } from "../render/block.ts";
import { accountHistory, keyReferences, readHistoryQuery } from "./accounts.ts";
import { findStatus, getTransaction, readTransactionId } from "./condenser-api.ts";
import { type Api, type Context, readArguments, readLimit, readNames } from "./method.ts";

const blockOf = ({ chain }: Context, num: unknown) => chain.history.loadBlock(readUnsigned(num, 32));

export const networkBroadcastApi: Api = {
  async broadcast_transaction(params, { chain }) {
    await chain.push(parseTransaction(readObject(params).trx, chain.symbols));
    return {};
  },
};

export const transactionStatusApi: Api = {
  find_transaction(params, { chain }) {
    const { transaction_id, expiration } = readObject(params);
    return findStatus(chain, readTransactionId(transaction_id), expiration);
  },
};

export const rcApi: Api = {
  find_rc_accounts(params, { chain }) {
    const { accounts } = chain.pending();
    const found = readNames(readObject(params).accounts).flatMap((name) => accounts.get(name) ?? []);
    return { rc_accounts: found.map((account) => renderResources(account, chain.head().time)) };
  },
};

export const blockApi: Api = {
  get_block(params, context) {
    const block = blockOf(context, readObject(params).block_num);
    return block ? { block: renderBlock(block, "nai", context.chain) } : {};
  },
  get_block_header(params, context) {
    const block = blockOf(context, readObject(params).block_num);
    return block ? { header: renderHeader(block) } : {};
  },
  get_block_range(params, context) {
    const { starting_block_num, count } = readObject(params);
    const first = readUnsigned(starting_block_num, 32);
    const nums = Array.from({ length: readLimit(count, 1, 1000) }, (_, index) => first + index);
    const blocks = nums.flatMap((num) => blockOf(context, num) ?? []);
    return { blocks: blocks.map((block) => renderBlock(block, "nai", context.chain)) };
  },
};

export const accountHistoryApi: Api = {
  get_transaction(params, { chain }) {
    const { id, include_reversible } = readObject(params);
    return getTransaction(chain, readTransactionId(id), "nai", include_reversible === true);
  },
  get_account_history(params, { chain }) {
    const { account, start, limit, include_reversible, operation_filter_low, operation_filter_high } =
      readObject(params);
    const query = readHistoryQuery({
      account,
      start,
      limit,
      filterLow: operation_filter_low,
      filterHigh: operation_filter_high,
      includesReversible: include_reversible === true,
    });
    return { history: accountHistory(chain, query, "nai") };
  },
  get_ops_in_block(params, context) {
    const { block_num, only_virtual, include_reversible } = readObject(params);
    const block = blockOf(context, block_num);
    const isShown = block && (include_reversible === true || block.num <= context.chain.lastIrreversible());
    return { ops: isShown && only_virtual !== true ? renderOperations(block, "nai", context.chain) : [] };
  },
};

export const accountByKeyApi: Api = {
  get_key_references(params, context) {
    const keys = readList(readObject(params).keys);
    return { accounts: keyReferences(context, readNames(keys)) };
  },
};

const nothingOf = (least: number, most: number) => (params: unknown) => {
  const [account] = readArguments(params, least, most);
  readText(account);
  return [];
};

/**
 * Calls of `condenser_api` that a wallet's first page makes. No account here converts, trades or powers
 * down, and one HIVE is worth a quarter of an HBD.
 */
export const walletReads: Api = {
  get_reward_fund(params, { chain, head }) {
    const [name] = readArguments(params, 1, 1);
    if (readText(name) !== "post") throw assertion("fund != nullptr", "Invalid reward fund name");
    return {
      id: 0,
      name: "post",
      reward_balance: createAssetRenderer("text", chain.symbols)(800_000_000n, "HIVE"),
      recent_claims: "400000000000000000",
      last_update: formatTime(head.time),
      content_constant: "2000000000000",
      percent_curation_rewards: 5000,
      percent_content_rewards: 10000,
      author_reward_curve: "linear",
      curation_reward_curve: "linear",
    };
  },
  get_current_median_history_price(_, { chain }) {
    const asset = createAssetRenderer("text", chain.symbols);
    return { base: asset(250n, "HBD"), quote: asset(1000n, "HIVE") };
  },
  get_conversion_requests: nothingOf(1, 1),
  get_collateralized_conversion_requests: nothingOf(1, 1),
  get_open_orders: nothingOf(1, 1),
  get_withdraw_routes: nothingOf(1, 2),
};
