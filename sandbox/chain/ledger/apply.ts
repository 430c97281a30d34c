import type { Authority } from "../../../lib/hive/authority.ts";
import { type Packing, packTransaction } from "../../../lib/hive/packing.ts";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { assertion } from "../errors.ts";
import { createAccount } from "../state/genesis.ts";
import type { Account, SignedTransaction, State, Symbols } from "../types.ts";
import { addCommunity, applyCommunityOperation, isCommunityName } from "./communities.ts";

/** Changes `state` (a draft of the caller) by one operation at chain time `now`, in seconds. */
export function applyOperation(state: State, operation: Operation, now: number): void {
  switch (operation.type) {
    case "transfer":
      transfer(state, operation);
      return;
    case "account_create":
      addAccount(state, operation, now);
      return;
    case "account_update":
    case "account_update2":
      updateAccount(state, operation, now);
      return;
    case "custom_json":
      applyCommunityOperation(state, operation);
  }
}

function getAccount(state: State, name: string): Account {
  const account = state.accounts.get(name);
  if (!account)
    throw assertion('_account != nullptr && "By name"', "Account <acc> doesn't exist", { acc: name });
  return account;
}

function transfer(state: State, { from, to, amount }: Extract<Operation, { type: "transfer" }>): void {
  getAccount(state, from);
  getAccount(state, to);
  adjustBalance(state, from, amount.symbol, -amount.amount);
  adjustBalance(state, to, amount.symbol, amount.amount);
}

function adjustBalance(state: State, name: string, symbol: "HBD" | "HIVE" | "VESTS", delta: bigint): void {
  const account = getAccount(state, name);
  const coin = symbol === "HBD" ? "hbd" : "hive";
  const available = account[coin];
  if (available < -delta) {
    const nai = symbol === "HBD" ? "@@000000013" : "@@000000021";
    const render = (amount: bigint) => ({ amount: amount.toString(), precision: 3, nai });
    throw assertion(
      "available >= -delta",
      "Account <acc> does not have sufficient funds for balance adjustment. Required: <r>, Available: <a>",
      { acc: name, r: render(delta), a: render(available) },
    );
  }
  state.accounts.set(name, { ...account, [coin]: available + delta });
}

/** A new account has the resources that others began with; its name may make a community of it. */
function addAccount(
  state: State,
  operation: Extract<Operation, { type: "account_create" }>,
  now: number,
): void {
  const { new_account_name: name, creator, fee, owner, active, posting } = operation;
  if (state.accounts.has(name))
    throw assertion("_account == nullptr", "Account <acc> already exists", { acc: name });
  for (const authority of [owner, active, posting]) checkMembers(state, authority);
  adjustBalance(state, creator, fee.symbol, -fee.amount);
  const authorities = { owner, active, posting };
  const made = createAccount(
    { name, authorities, memoKey: operation.memo_key },
    { id: state.accounts.size + 1, now },
  );
  state.accounts.set(name, { ...made, jsonMetadata: operation.json_metadata });
  if (isCommunityName(name)) addCommunity(state, name, now);
}

function updateAccount(
  state: State,
  operation: Extract<Operation, { type: "account_update" | "account_update2" }>,
  now: number,
): void {
  const account = getAccount(state, operation.account);
  for (const authority of [operation.owner, operation.active, operation.posting])
    if (authority) checkMembers(state, authority);
  const ownerTimes = operation.owner && {
    previousOwnerUpdate: account.lastOwnerUpdate,
    lastOwnerUpdate: now,
  };
  state.accounts.set(account.name, {
    ...account,
    ...ownerTimes,
    owner: operation.owner ?? account.owner,
    active: operation.active ?? account.active,
    posting: operation.posting ?? account.posting,
    memoKey: operation.memo_key ?? account.memoKey,
    jsonMetadata: operation.json_metadata || account.jsonMetadata,
    postingJsonMetadata:
      (operation.type === "account_update2" && operation.posting_json_metadata) ||
      account.postingJsonMetadata,
    lastAccountUpdate: now,
  });
}

function checkMembers(state: State, authority: Authority): void {
  for (const [name] of authority.account_auths) getAccount(state, name);
}

/** Packs a transaction as the network with these symbols does: mainnet alone has its names from before the fork in it. */
export function packFor(symbols: Symbols, transaction: SignedTransaction, packing: Packing): Uint8Array {
  return symbols.hbd === "HBD"
    ? packTransaction(transaction, packing)
    : packTransaction(transaction, packing, symbols);
}
