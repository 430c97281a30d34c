import dhive from "@hiveio/dhive";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { type Packing, signingDigest, transactionId } from "../../lib/hive/packing.ts";
import type { Operation, UnsignedTransaction } from "../../lib/hive/transaction.ts";
import type { KeyRole } from "../../sandbox/accounts.ts";
import { packFor } from "../../sandbox/chain/ledger/apply.ts";
import type { Form } from "../../sandbox/chain/render/account.ts";
import { renderTransaction } from "../../sandbox/chain/render/transaction.ts";
import type { Symbols } from "../../sandbox/chain/types.ts";

/** Returns a private key of a sandbox account, as 32 bytes. */
export function secretOf(name: string, role: KeyRole): Uint8Array {
  const key = dhive.PrivateKey.fromLogin(name, "sandbox", role) as unknown as { key: Buffer };
  return Uint8Array.from(key.key);
}

/** Returns the signature of a digest in the chain's 130 hex digits. */
export function signDigest(digest: Uint8Array, secret: Uint8Array): string {
  const signature = secp256k1.sign(digest, secret, { lowS: true });
  return (31 + signature.recovery).toString(16) + signature.toCompactHex();
}

type Chain = { chainId: string; call(method: string, params: unknown): Promise<unknown> };

export type SignOptions = {
  keys: readonly Uint8Array[];
  packing?: Packing;
  /** The JSON form to return: text (default) or numeric asset identifiers. */
  form?: Form;
  symbols?: Symbols;
  header?: Partial<UnsignedTransaction>;
};

/**
 * Builds a transaction on the chain's head that expires in a minute, signs it, and returns its JSON and id.
 */
export async function signTransaction(chain: Chain, operations: readonly Operation[], options: SignOptions) {
  const { keys, packing = "legacy", form = "text", symbols = { hbd: "HBD", hive: "HIVE" } } = options;
  const head = (await chain.call("condenser_api.get_dynamic_global_properties", [])) as {
    head_block_id: string;
    head_block_number: number;
    time: string;
  };
  const transaction: UnsignedTransaction = {
    refBlockNum: head.head_block_number & 0xffff,
    refBlockPrefix: Buffer.from(head.head_block_id, "hex").readUInt32LE(4),
    expiration: Date.parse(`${head.time}Z`) / 1000 + 60,
    operations,
    ...options.header,
  };
  const signed = { ...transaction, signatures: [] };
  const packed = packFor(symbols, signed, packing);
  const digest = signingDigest(packed, chain.chainId);
  const signatures = keys.map((key) => Uint8Array.from(Buffer.from(signDigest(digest, key), "hex")));
  return {
    id: transactionId(packed),
    otherId: transactionId(packFor(symbols, signed, packing === "legacy" ? "hf26" : "legacy")),
    expiration: transaction.expiration,
    json: renderTransaction({ ...transaction, signatures }, form, symbols),
  };
}

/** Returns a transfer operation of HBD, with the amount in 1/1000. */
export function transferOf(from: string, to: string, mils: number | bigint, memo = ""): Operation {
  return { type: "transfer", from, to, amount: { amount: BigInt(mils), symbol: "HBD" }, memo };
}
