import type { Authority } from "../../../lib/hive/authority.ts";
import type { SandboxAccount, SandboxCommunity } from "../../accounts.ts";
import type { Account, Community, State } from "../types.ts";

const RESOURCES = 1_800_000_000_000;

type NewAccount = {
  name: string;
  authorities: Pick<Account, "owner" | "active" | "posting">;
  memoKey: string;
};

/** Creates a new account that has only resource credits. */
export function createAccount(
  { name, authorities, memoKey }: NewAccount,
  { id, now }: { id: number; now: number },
): Account {
  return {
    id,
    name,
    ...authorities,
    memoKey,
    jsonMetadata: "",
    postingJsonMetadata: "",
    created: now,
    previousOwnerUpdate: 0,
    lastOwnerUpdate: 0,
    lastAccountUpdate: 0,
    hbd: 0n,
    hive: 0n,
    resources: { current: RESOURCES, max: RESOURCES, updated: now },
  };
}

/** Creates a sandbox account with its keys and funds. */
export function createSeededAccount(
  { name, hbdMils, keys }: SandboxAccount,
  place: { id: number; now: number },
): Account {
  const byKey = (role: "owner" | "active" | "posting"): Authority => ({
    weight_threshold: 1,
    account_auths: [],
    key_auths: [[keys[role].publicKey, 1]],
  });
  const authorities = { owner: byKey("owner"), active: byKey("active"), posting: byKey("posting") };
  return {
    ...createAccount({ name, authorities, memoKey: keys.memo.publicKey }, place),
    hbd: BigInt(hbdMils),
  };
}

/** Creates a new community, from the seed or from a test. */
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

/** Creates the state before the first block. */
export function createGenesis(
  seed: { accounts: readonly SandboxAccount[]; communities: readonly SandboxCommunity[] },
  now: number,
): State {
  const accounts = seed.accounts.map((account, index) =>
    createSeededAccount(account, { id: index + 1, now }),
  );
  const communities = seed.communities.map((one, index) => createCommunity(one, { id: index + 1, now }));
  return {
    accounts: new Map(accounts.map((account) => [account.name, account])),
    communities: new Map(communities.map((community) => [community.name, community])),
  };
}
