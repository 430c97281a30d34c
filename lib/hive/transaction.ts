import type { Authority } from "./authority.ts";

/** An amount in the smallest unit of its symbol: 1/1000 of HBD and HIVE, 1/1000000 of VESTS. */
export type Asset = { amount: bigint; symbol: "HBD" | "HIVE" | "VESTS" };

/** The operations that this code can serialise; their fields carry the chain's own names. */
export type Operation =
  | { type: "transfer"; from: string; to: string; amount: Asset; memo: string }
  | {
      type: "account_create";
      fee: Asset;
      creator: string;
      new_account_name: string;
      owner: Authority;
      active: Authority;
      posting: Authority;
      memo_key: string;
      json_metadata: string;
    }
  | {
      type: "account_update";
      account: string;
      owner?: Authority | undefined;
      active?: Authority | undefined;
      posting?: Authority | undefined;
      memo_key: string;
      json_metadata: string;
    }
  | {
      type: "account_update2";
      account: string;
      owner?: Authority | undefined;
      active?: Authority | undefined;
      posting?: Authority | undefined;
      memo_key?: string | undefined;
      json_metadata: string;
      posting_json_metadata: string;
    }
  | {
      type: "custom_json";
      required_auths: string[];
      required_posting_auths: string[];
      id: string;
      json: string;
    };

/** What a signature covers besides the chain id. `expiration` is whole seconds since 1970; there are never extensions. */
export type UnsignedTransaction = {
  refBlockNum: number;
  refBlockPrefix: number;
  expiration: number;
  operations: readonly Operation[];
};
