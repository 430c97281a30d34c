import type { SandboxAccount, SandboxCommunity } from "../../accounts.ts";
import type { Account, Community, State } from "../types.ts";

const RESOURCES = 1_800_000_000_000;

/** An account as it stands at the chain's beginning, or when a test makes it. */
export function createAccount(
  { name, milliHbd, keys }: SandboxAccount,
  { id, now }: { id: number; now: number },
): Account {
  const byKey = (role: "owner" | "active" | "posting") => ({
    weight_threshold: 1,
    account_auths: [],
    key_auths: [[keys[role].publicKey, 1] as [string, number]],
  });
  return {
    id,
    name,
    owner: byKey("owner"),
    active: byKey("active"),
    posting: byKey("posting"),
    memoKey: keys.memo.publicKey,
    jsonMetadata: "",
    postingJsonMetadata: "",
    created: now,
    previousOwnerUpdate: 0,
    lastOwnerUpdate: 0,
    lastAccountUpdate: 0,
    hbd: BigInt(milliHbd),
    hive: 0n,
    resources: { current: RESOURCES, max: RESOURCES, updated: now },
  };
}

/** A community as it stands at the chain's beginning, or when a test makes it. */
export function createCommunity(
  { name, title, about, roles, subscribers }: SandboxCommunity,
  { id, now }: { id: number; now: number },
): Community {
  return {
    id,
    name,
    title,
    about,
    description: "",
    flagText: "",
    lang: "en",
    isNsfw: false,
    settings: {},
    created: now,
    roles: new Map(roles.map(([account, role]) => [account, { role, title: "" }])),
    subscribers,
  };
}

/** The state before the first block. */
export function createGenesis(
  seed: { accounts: readonly SandboxAccount[]; communities: readonly SandboxCommunity[] },
  now: number,
): State {
  const accounts = seed.accounts.map((account, index) => createAccount(account, { id: index + 1, now }));
  const communities = seed.communities.map((one, index) => createCommunity(one, { id: index + 1, now }));
  return {
    accounts: new Map(accounts.map((account) => [account.name, account])),
    communities: new Map(communities.map((community) => [community.name, community])),
  };
}
