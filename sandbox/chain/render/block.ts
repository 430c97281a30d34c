import type { Operation } from "../../../lib/hive/transaction.ts";
import type { Chain } from "../chain.ts";
import { formatTime } from "../parse/fields.ts";
import type { BlockHeader, Included } from "../state/store.ts";
import type { Block } from "../types.ts";
import { createAssetRenderer, type Form } from "./account.ts";
import { renderOperation, renderTransaction } from "./transaction.ts";

const ZEROS = "0".repeat(40);
const WITNESS_KEY = "STM6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4";

export function renderHeader(header: BlockHeader) {
  return {
    previous: header.previous,
    timestamp: formatTime(header.time),
    witness: "initminer",
    transaction_merkle_root: ZEROS,
    extensions: [],
  };
}

/**
 * Renders a block with its transactions. The witness signature and merkle root are zeros, because blocks are
 * unsigned here.
 */
export function renderBlock(block: Block, form: Form, { symbols }: Chain) {
  return {
    ...renderHeader(block),
    witness_signature: "0".repeat(130),
    transactions: block.transactions.map(({ transaction }) => renderTransaction(transaction, form, symbols)),
    block_id: block.id,
    signing_key: WITNESS_KEY,
    transaction_ids: block.transactions.map(({ id }) => id),
  };
}

/** Renders a transaction with its place on the chain. */
export function renderIncluded(included: Included, form: Form, { symbols }: Chain) {
  return {
    ...renderTransaction(included.transaction, form, symbols),
    transaction_id: included.id,
    block_num: included.blockNum,
    transaction_num: included.trxNum,
  };
}

/** Renders the operations of a block, each with its place. */
export function renderOperations(block: Block, form: Form, { symbols }: Chain) {
  return block.transactions.flatMap(({ id, transaction }, trxNum) =>
    transaction.operations.map((operation, opNum) =>
      placed(operation, { id, block, trxNum, opNum }, form, symbols),
    ),
  );
}

/** Renders one operation of a transaction as histories show it. */
export function renderHistoryEntry(
  included: Included,
  opNum: number,
  form: Form,
  { symbols, history }: Chain,
) {
  const { id, blockNum, trxNum, transaction } = included;
  const block = history.loadBlock(blockNum);
  const operation = transaction.operations[opNum];
  return block && operation ? placed(operation, { id, block, trxNum, opNum }, form, symbols) : null;
}

type Place = { id: string; block: Block; trxNum: number; opNum: number };

function placed(
  operation: Operation,
  { id, block, trxNum, opNum }: Place,
  form: Form,
  symbols: Chain["symbols"],
) {
  return {
    trx_id: id,
    block: block.num,
    trx_in_block: trxNum,
    op_in_trx: opNum,
    virtual_op: false,
    timestamp: formatTime(block.time),
    op: renderOperation(operation, form, symbols),
  };
}

/** The address prefix of every public key, including those of test networks. */
const ADDRESS_PREFIX = "STM";

/** Renders the dynamic global properties with `head` as the head block (a stale node shows an older one). */
export function renderGlobalProperties(chain: Chain, head: BlockHeader, form: Form) {
  const asset = createAssetRenderer(form, chain.symbols);
  const accounts = [...chain.pending().accounts.values()];
  const sum = (coin: "hbd" | "hive") => accounts.reduce((total, account) => total + account[coin], 0n);
  const vests = accounts.reduce((total, { resources }) => total + BigInt(resources.max), 0n);
  const supply = asset(sum("hive"), "HIVE");
  const noHive = asset(0n, "HIVE");
  return {
    ...(form === "nai" ? { id: 0 } : {}),
    head_block_number: head.num,
    head_block_id: head.id,
    time: formatTime(head.time),
    current_witness: "initminer",
    total_pow: "18446744073709551615",
    num_pow_witnesses: 0,
    virtual_supply: supply,
    current_supply: supply,
    init_hbd_supply: asset(0n, "HBD"),
    current_hbd_supply: asset(sum("hbd"), "HBD"),
    total_vesting_fund_hive: asset(vests / 2000n, "HIVE"),
    total_vesting_shares: asset(vests, "VESTS"),
    total_reward_fund_hive: noHive,
    total_reward_shares2: "0",
    pending_rewarded_vesting_shares: asset(0n, "VESTS"),
    pending_rewarded_vesting_hive: noHive,
    hbd_interest_rate: 1000,
    hbd_print_rate: 10000,
    maximum_block_size: 65536,
    current_aslot: head.num,
    recent_slots_filled: "340282366920938463463374607431768211455",
    participation_count: 128,
    last_irreversible_block_num: Math.min(chain.lastIrreversible(), head.num),
    vote_power_reserve_rate: 10,
    delegation_return_period: 432000,
    reverse_auction_seconds: 0,
    available_account_subsidies: 0,
    hbd_stop_percent: 2000,
    hbd_start_percent: 2000,
    next_maintenance_time: formatTime(head.time + 3600),
    last_budget_time: formatTime(head.time),
    next_daily_maintenance_time: formatTime(head.time + 86400),
    content_reward_percent: 6500,
    vesting_reward_percent: 1500,
    proposal_fund_percent: 1000,
    dhf_interval_ledger: asset(0n, "HBD"),
    downvote_pool_percent: 2500,
    current_remove_threshold: 200,
    early_voting_seconds: 86400,
    mid_voting_seconds: 172800,
    max_consecutive_recurrent_transfer_failures: 10,
    max_recurrent_transfer_end_date: 730,
    min_recurrent_transfers_recurrence: 24,
    max_open_recurrent_transfers: 255,
  };
}

/** Returns the values that the witnesses voted for. */
export function renderChainProperties(chain: Chain) {
  return {
    account_creation_fee: createAssetRenderer("text", chain.symbols)(3000n, "HIVE"),
    maximum_block_size: 65536,
    hbd_interest_rate: 1000,
    account_subsidy_budget: 797,
    account_subsidy_decay: 347321,
  };
}

export function renderVersion(chain: Chain) {
  const revision = "0".repeat(40);
  return {
    blockchain_version: "1.28.5",
    hive_revision: revision,
    fc_revision: revision,
    node_type: isTestNetwork(chain) ? "testnet" : "mainnet",
    chain_id: chain.chainId,
  };
}

/** Returns the constants that clients read. A real node has some 300 more. */
export function renderConfig(chain: Chain) {
  return {
    HIVE_CHAIN_ID: chain.chainId,
    HIVE_ADDRESS_PREFIX: ADDRESS_PREFIX,
    VESTS_SYMBOL: "VESTS",
    HIVE_SYMBOL: chain.symbols.hive,
    HBD_SYMBOL: chain.symbols.hbd,
    IS_TEST_NET: isTestNetwork(chain),
    HIVE_BLOCKCHAIN_VERSION: "1.28.5",
    HIVE_BLOCKCHAIN_HARDFORK_VERSION: "1.28.0",
    HIVE_BLOCK_INTERVAL: 3,
    HIVE_MAX_TRANSACTION_SIZE: 65536,
    HIVE_MAX_TIME_UNTIL_EXPIRATION: 3600,
    HIVE_MAX_TIME_UNTIL_SIGNATURE_EXPIRATION: 86400,
    HIVE_MAX_MEMO_SIZE: 2048,
    HIVE_MAX_SIG_CHECK_DEPTH: 2,
    HIVE_MAX_SIG_CHECK_ACCOUNTS: 125,
    HIVE_MAX_AUTHORITY_MEMBERSHIP: 40,
    HIVE_MIN_ACCOUNT_NAME_LENGTH: 3,
    HIVE_MAX_ACCOUNT_NAME_LENGTH: 16,
    HIVE_CUSTOM_OP_ID_MAX_LENGTH: 32,
    HIVE_CUSTOM_OP_DATA_MAX_LENGTH: 8192,
    HIVE_100_PERCENT: 10000,
    HIVE_1_PERCENT: 100,
    HIVE_INIT_MINER_NAME: "initminer",
    HIVE_NULL_ACCOUNT: "null",
  };
}

function isTestNetwork(chain: Chain): boolean {
  return chain.symbols.hbd !== "HBD";
}
