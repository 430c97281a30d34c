import type { Authority } from "../../lib/hive/authority.ts";
import type { Packing } from "../../lib/hive/packing.ts";
import type { UnsignedTransaction } from "../../lib/hive/transaction.ts";

/** The names of the chain's two coins in JSON. Test networks use other names than mainnet. */
export type Symbols = { hbd: "HBD"; hive: "HIVE" } | { hbd: "TBD"; hive: "TESTS" };

/** Times inside the chain are whole seconds since 1970. */
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
  /** In 1/1000. */
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
  /** In the order of their subscription. */
  subscribers: readonly string[];
};

/** Everything that transactions change. Records are replaced, never changed in place, so states may share them. */
export type State = { accounts: Map<string, Account>; communities: Map<string, Community> };

export type SignedTransaction = UnsignedTransaction & { signatures: readonly Uint8Array[] };

/** An accepted transaction, with the id of the serialization that was signed. */
export type AcceptedTransaction = {
  id: string;
  packing: Packing;
  transaction: SignedTransaction;
  resourceCost: number;
};

/** A transaction that waits for a block. It leaves the pool at `dropAt`, even if it expires later. */
export type PooledTransaction = AcceptedTransaction & { dropAt: number };

export type Block = {
  num: number;
  id: string;
  previous: string;
  time: number;
  transactions: AcceptedTransaction[];
};
