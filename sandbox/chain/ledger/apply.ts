import { z } from "zod";
import type { Authority } from "../../../lib/hive/authority.ts";
import { type Packing, packTransaction } from "../../../lib/hive/packing.ts";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { assertion } from "../errors.ts";
import { createAccount, createCommunity } from "../state/genesis.ts";
import type { Account, Community, Role, SignedTransaction, State, Symbols } from "../types.ts";

/** Applies one operation to `state`, the caller's draft, at chain time `now` in seconds. */
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

/** Creates an account with its initial resources. An account with a community's name becomes a community. */
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

/**
 * Serializes a transaction for the network with these symbols. Only mainnet uses the names from before the
 * fork.
 */
export function packFor(symbols: Symbols, transaction: SignedTransaction, packing: Packing): Uint8Array {
  return symbols.hbd === "HBD"
    ? packTransaction(transaction, packing)
    : packTransaction(transaction, packing, symbols);
}

const rank: Record<Role, number> = { muted: -2, guest: 0, member: 2, mod: 4, admin: 6, owner: 8 };
const communityOperations = "community";

const Target = z.object({ community: z.string() });
const Props = z.object({
  title: z.string().min(1).max(32).optional(),
  about: z.string().max(120).optional(),
  description: z.string().max(5000).optional(),
  flag_text: z.string().max(5000).optional(),
  lang: z.string().length(2).optional(),
  is_nsfw: z.boolean().optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});

/** Returns whether an account of this name is a community. */
export function isCommunityName(name: string): boolean {
  return /^hive-[123]\d{4,6}$/.test(name);
}

/** Creates the community of a new account, which owns it. */
function addCommunity(state: State, name: string, now: number): void {
  const seed = { name, title: "", about: "", roles: [[name, "owner"]] as const, subscribers: [] };
  state.communities.set(name, createCommunity(seed, { id: state.communities.size + 1, now }));
}

/** Returns the rank of an account's role, which decides its permissions. Guests have none. */
export function rankOf(community: Community, account: string): number {
  return rank[community.roles.get(account)?.role ?? "guest"];
}

/**
 * Applies a custom_json to the community index. The chain itself accepts any JSON, so an operation that the
 * index rejects has no effect and causes no error.
 */
function applyCommunityOperation(
  state: State,
  { id, json, required_posting_auths }: Extract<Operation, { type: "custom_json" }>,
): void {
  const [actor] = required_posting_auths;
  if (id !== communityOperations || actor === undefined || required_posting_auths.length !== 1) return;
  const action = z.tuple([z.string(), z.record(z.string(), z.unknown())]).safeParse(JSON.parse(json));
  const target = Target.safeParse(action.data?.[1]);
  const community = state.communities.get(target.data?.community ?? "");
  if (!action.success || !community) return;
  const [name, fields] = action.data;
  const changed = Object.hasOwn(actions, name)
    ? actions[name]?.({ community, actor, fields, state })
    : undefined;
  if (changed) state.communities.set(community.name, changed);
}

type Action = (input: {
  community: Community;
  actor: string;
  fields: Record<string, unknown>;
  state: State;
}) => Community | undefined;

const actions: Record<string, Action | undefined> = {
  subscribe({ community, actor }) {
    if (community.subscribers.includes(actor)) return undefined;
    return { ...community, subscribers: [...community.subscribers, actor] };
  },
  unsubscribe({ community, actor }) {
    return { ...community, subscribers: community.subscribers.filter((name) => name !== actor) };
  },
  setRole({ community, actor, fields, state }) {
    const wanted = z
      .object({ account: z.string(), role: z.enum(["muted", "guest", "member", "mod", "admin"]) })
      .safeParse(fields);
    if (!wanted.success || !state.accounts.has(wanted.data.account)) return undefined;
    const { account, role } = wanted.data;
    const own = rankOf(community, actor);
    const isAllowed =
      own >= rank.mod && own > rank[role] && (account === actor || rankOf(community, account) < own);
    const title = community.roles.get(account)?.title ?? "";
    return isAllowed
      ? { ...community, roles: new Map(community.roles).set(account, { role, title }) }
      : undefined;
  },
  setUserTitle({ community, actor, fields, state }) {
    const wanted = z.object({ account: z.string(), title: z.string().max(32) }).safeParse(fields);
    if (!wanted.success || !state.accounts.has(wanted.data.account)) return undefined;
    if (rankOf(community, actor) < rank.mod) return undefined;
    const { account, title } = wanted.data;
    const role = community.roles.get(account)?.role ?? "guest";
    return { ...community, roles: new Map(community.roles).set(account, { role, title }) };
  },
  updateProps({ community, actor, fields }) {
    const props = Props.safeParse(fields.props);
    if (!props.success || rankOf(community, actor) < rank.admin) return undefined;
    const { flag_text, is_nsfw, title, about, description, lang, settings } = props.data;
    return {
      ...community,
      title: title ?? community.title,
      about: about ?? community.about,
      description: description ?? community.description,
      lang: lang ?? community.lang,
      settings: settings ?? community.settings,
      flagText: flag_text ?? community.flagText,
      isNsfw: is_nsfw ?? community.isNsfw,
    };
  },
};
