import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes } from "@noble/hashes/utils.js";
import type { Authority } from "./authority.ts";
import { type ByteWriter, createByteWriter } from "./byte-writer.ts";
import { decodePublicKey } from "./public-key.ts";
import type { Asset, Operation, UnsignedTransaction } from "./transaction.ts";

/** The two binary forms of a transaction; they differ in amounts, so one transaction has two ids and two digests. */
export type Packing = "legacy" | "hf26";

const symbolBytes: Record<Packing, Record<Asset["symbol"], string>> = {
  legacy: { HBD: "0353424400000000", HIVE: "03535445454d0000", VESTS: "0656455354530000" },
  hf26: { HBD: "0320bcbe", HIVE: "2320bcbe", VESTS: "4620bcbe" },
};

/**
 * Serialises a transaction as the chain does before it hashes it: lists that the chain holds as sets or maps come out
 * sorted, whatever their order here.
 * @throws RangeError for a value that the binary form can't hold; Error for a malformed public key.
 */
export function packTransaction(transaction: UnsignedTransaction, packing: Packing): Uint8Array {
  const writer = createByteWriter();
  writer.unsigned(transaction.refBlockNum, 2);
  writer.unsigned(transaction.refBlockPrefix, 4);
  writer.unsigned(transaction.expiration, 4);
  writer.varint(transaction.operations.length);
  for (const operation of transaction.operations) writeOperation(writer, operation, packing);
  writer.varint(0);
  return writer.finish();
}

/** The transaction id (40 hex digits) of a packed transaction. */
export function transactionId(packed: Uint8Array): string {
  return bytesToHex(sha256(packed).subarray(0, 20));
}

/** The 32 bytes that signatures of a packed transaction sign on the chain `chainId` (64 hex digits). */
export function signingDigest(packed: Uint8Array, chainId: string): Uint8Array {
  return sha256(concatBytes(hexToBytes(chainId), packed));
}

function writeOperation(writer: ByteWriter, operation: Operation, packing: Packing): void {
  switch (operation.type) {
    case "transfer":
      writer.varint(2);
      writer.text(operation.from);
      writer.text(operation.to);
      writer.int64(operation.amount.amount);
      writer.raw(hexToBytes(symbolBytes[packing][operation.amount.symbol]));
      writer.text(operation.memo);
      return;
    case "account_update":
      writer.varint(10);
      writeAuthorities(writer, operation);
      writer.raw(decodePublicKey(operation.memo_key));
      writer.text(operation.json_metadata);
      return;
    case "custom_json":
      writer.varint(18);
      writeNames(writer, operation.required_auths);
      writeNames(writer, operation.required_posting_auths);
      writer.text(operation.id);
      writer.text(operation.json);
      return;
    case "account_update2": {
      writer.varint(43);
      writeAuthorities(writer, operation);
      const { memo_key } = operation;
      writeOptional(writer, memo_key, (key) => writer.raw(decodePublicKey(key)));
      writer.text(operation.json_metadata);
      writer.text(operation.posting_json_metadata);
      writer.varint(0);
    }
  }
}

function writeAuthorities(
  writer: ByteWriter,
  operation: Extract<Operation, { type: "account_update" | "account_update2" }>,
): void {
  writer.text(operation.account);
  for (const authority of [operation.owner, operation.active, operation.posting])
    writeOptional(writer, authority, (present) => writeAuthority(writer, present));
}

function writeOptional<T>(writer: ByteWriter, value: T | undefined, write: (present: T) => void): void {
  writer.unsigned(value === undefined ? 0 : 1, 1);
  if (value !== undefined) write(value);
}

function writeAuthority(writer: ByteWriter, authority: Authority): void {
  writer.unsigned(authority.weight_threshold, 4);
  writer.varint(authority.account_auths.length);
  for (const [account, weight] of [...authority.account_auths].sort(([a], [b]) => (a < b ? -1 : 1))) {
    writer.text(account);
    writer.unsigned(weight, 2);
  }
  const keys = authority.key_auths.map(([text, weight]) => ({ bytes: decodePublicKey(text), weight }));
  writer.varint(keys.length);
  for (const { bytes, weight } of keys.sort((a, b) => compareBytes(a.bytes, b.bytes))) {
    writer.raw(bytes);
    writer.unsigned(weight, 2);
  }
}

function writeNames(writer: ByteWriter, names: readonly string[]): void {
  writer.varint(names.length);
  for (const name of [...names].sort()) writer.text(name);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const difference = a.findIndex((byte, index) => byte !== b[index]);
  return difference === -1 ? 0 : (a[difference] ?? 0) - (b[difference] ?? 0);
}
