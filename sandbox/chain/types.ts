import type { Authority } from "../../lib/hive/authority.ts";
import type { Packing } from "../../lib/hive/packing.ts";
import type { UnsignedTransaction } from "../../lib/hive/transaction.ts";

/** The names of the chain's two coins in JSON, which differ between mainnet and test networks. */
export type Symbols = { hbd: "HBD"; hive: "HIVE" } | { hbd: "TBD"; hive: "TESTS" };

/** An account. Times inside the chain are whole seconds since 1970. */
export type Account = {
  id: number;
  name: string;
  owner: Authority;
  active: Authority;
  posting: Authority;
  memoKey: string;
  jsonMetadata: string;
  postingJsonMetadata: string;
  created: number;
  previousOwnerUpdate: number;
  lastOwnerUpdate: number;
  lastAccountUpdate: number;
  /** The balance in 1/1000 HBD. */
  hbd: bigint;
  hive: bigint;
  /** Resource credits: the remainder at `updated`. They recover within five days. */
  resources: { current: number; max: number; updated: number };
};

export type Role = "muted" | "guest" | "member" | "mod" | "admin" | "owner";

export type Community = {
  id: number;
  name: string;
  title: string;
  about: string;
  description: string;
  flagText: string;
  lang: string;
  isNsfw: boolean;
  settings: Record<string, unknown>;
  created: number;
  roles: ReadonlyMap<string, { role: Role; title: string }>;
  /** Account names, in the order of their subscription. */
  subscribers: readonly string[];
};

/**
 * Everything that transactions change. Records are replaced, never changed in place, so that states can share
 * them.
 */
export type State = { accounts: Map<string, Account>; communities: Map<string, Community> };

export type SignedTransaction = UnsignedTransaction & { signatures: readonly Uint8Array[] };

/** An accepted transaction, with the id of the serialization that was signed. */
export type AcceptedTransaction = {
  id: string;
  packing: Packing;
  transaction: SignedTransaction;
  resourceCost: number;
};

/** A transaction waiting for a block. It leaves the pool at `dropAt`, even if it expires later. */
export type PooledTransaction = AcceptedTransaction & { dropAt: number };

export type Block = {
  num: number;
  id: string;
  previous: string;
  time: number;
  transactions: AcceptedTransaction[];
};
