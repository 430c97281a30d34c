import type { Asset } from "../../../lib/hive/transaction.ts";
import { resourcesAt } from "../ledger/examine.ts";
import { formatTime } from "../parse/fields.ts";
import type { Account, Symbols } from "../types.ts";

const NEVER = "1970-01-01T00:00:00";
const mainnet = { hbd: "HBD", hive: "HIVE" } as const;
const BEFORE_TIME = "1969-12-31T23:59:59";

/**
 * Renders an account as `condenser_api.get_accounts` (amounts as texts) or `database_api.find_accounts` shows
 * it, at chain time `now`.
 */
export function renderAccount(
  account: Account,
  { form, symbols, now }: { form: Form; symbols: Symbols; now: number },
) {
  const asset = createAssetRenderer(form, symbols);
  const current = resourcesAt(account, now);
  const vests = asset(BigInt(account.resources.max), "VESTS");
  const [hbd, hive, noVests] = [asset(0n, "HBD"), asset(0n, "HIVE"), asset(0n, "VESTS")];
  return {
    id: account.id,
    name: account.name,
    owner: account.owner,
    active: account.active,
    posting: account.posting,
    memo_key: account.memoKey,
    json_metadata: account.jsonMetadata,
    posting_json_metadata: account.postingJsonMetadata,
    proxy: "",
    previous_owner_update: formatTime(account.previousOwnerUpdate),
    last_owner_update: formatTime(account.lastOwnerUpdate),
    last_account_update: formatTime(account.lastAccountUpdate),
    created: formatTime(account.created),
    mined: false,
    recovery_account: "initminer",
    last_account_recovery: NEVER,
    reset_account: "null",
    comment_count: 0,
    lifetime_vote_count: 0,
    post_count: 0,
    can_vote: true,
    voting_manabar: { current_mana: current, last_update_time: now },
    downvote_manabar: { current_mana: Math.floor(current / 4), last_update_time: now },
    ...(form === "text" ? { voting_power: 0 } : {}),
    balance: asset(account.hive, "HIVE"),
    savings_balance: hive,
    hbd_balance: asset(account.hbd, "HBD"),
    hbd_seconds: "0",
    hbd_seconds_last_update: NEVER,
    hbd_last_interest_payment: NEVER,
    savings_hbd_balance: hbd,
    savings_hbd_seconds: "0",
    savings_hbd_seconds_last_update: NEVER,
    savings_hbd_last_interest_payment: NEVER,
    savings_withdraw_requests: 0,
    reward_hbd_balance: hbd,
    reward_hive_balance: hive,
    reward_vesting_balance: noVests,
    reward_vesting_hive: hive,
    vesting_shares: vests,
    delegated_vesting_shares: noVests,
    received_vesting_shares: noVests,
    vesting_withdraw_rate: noVests,
    post_voting_power: vests,
    next_vesting_withdrawal: BEFORE_TIME,
    withdrawn: 0,
    to_withdraw: 0,
    withdraw_routes: 0,
    pending_transfers: 0,
    curation_rewards: 0,
    posting_rewards: 0,
    proxied_vsf_votes: [0, 0, 0, 0],
    witnesses_voted_for: 0,
    last_post: NEVER,
    last_root_post: NEVER,
    last_vote_time: NEVER,
    post_bandwidth: 0,
    pending_claimed_accounts: 0,
    open_recurrent_transfers: 0,
    delayed_votes: [],
    governance_vote_expiration_ts: BEFORE_TIME,
    ...(form === "text" ? historyLists(hive) : { last_post_edit: NEVER, is_smt: false }),
  };
}

/** Returns lists that only `condenser_api` still has, and that are always empty. */
function historyLists(noHive: unknown) {
  return {
    vesting_balance: noHive,
    reputation: 0,
    transfer_history: [],
    market_history: [],
    post_history: [],
    vote_history: [],
    other_history: [],
    witness_votes: [],
    tags_usage: [],
    guest_bloggers: [],
  };
}

/** Renders an account's resource credits as `rc_api.find_rc_accounts` shows them. */
export function renderResources(account: Account, now: number) {
  const asset = createAssetRenderer("nai", mainnet);
  return {
    account: account.name,
    rc_manabar: { current_mana: resourcesAt(account, now), last_update_time: now },
    max_rc_creation_adjustment: asset(0n, "VESTS"),
    max_rc: account.resources.max,
    delegated_rc: 0,
    received_delegated_rc: 0,
  };
}

/**
 * The two JSON forms of amounts: text (`condenser_api`) and objects with a numeric asset identifier (all
 * others).
 */
export type Form = "text" | "nai";

const assets = {
  HBD: { precision: 3, nai: "@@000000013" },
  HIVE: { precision: 3, nai: "@@000000021" },
  VESTS: { precision: 6, nai: "@@000000037" },
} as const;

type AssetRenderer = (amount: bigint, symbol: Asset["symbol"]) => unknown;

/** Creates a function that writes amounts in one form. */
export function createAssetRenderer(form: Form, symbols: Symbols): AssetRenderer {
  if (form === "nai") return (amount, symbol) => ({ amount: amount.toString(), ...assets[symbol] });
  const names = { HBD: symbols.hbd, HIVE: symbols.hive, VESTS: "VESTS" };
  return (amount, symbol) => {
    const { precision } = assets[symbol];
    const digits = (amount < 0n ? -amount : amount).toString().padStart(precision + 1, "0");
    return `${amount < 0n ? "-" : ""}${digits.slice(0, -precision)}.${digits.slice(-precision)} ${names[symbol]}`;
  };
}
