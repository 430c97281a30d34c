import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import type { Authority } from "./authority.ts";
import { decodePublicKey } from "./public-key.ts";
import type { Asset, Operation, UnsignedTransaction } from "./transaction.ts";

/** The two binary formats of a transaction. They differ in amounts, so a transaction has two ids and two digests. */
export type Packing = "legacy" | "hf26";

/** The legacy format's names for HBD and HIVE. Those of the main chain are older than its fork. */
export type LegacyNames = { hbd: string; hive: string };

const mainnetNames: LegacyNames = { hbd: "SBD", hive: "STEEM" };
const NAME_BYTES = 7;
const hf26Symbols = { HBD: "0320bcbe", HIVE: "2320bcbe", VESTS: "4620bcbe" };

/**
 * Serializes a transaction as the chain does before hashing: lists that the chain holds as sets or maps are sorted,
 * whatever their order here. Test networks have other `names` in the legacy format.
 * @throws RangeError for a value that the binary format cannot hold; Error for a malformed public key
 */
export function packTransaction(
  transaction: UnsignedTransaction,
  packing: Packing,
  names: LegacyNames = mainnetNames,
): Uint8Array {
  const writeSymbol = packing === "hf26" ? writeHf26Symbol : writeLegacySymbol(names);
  const writer = createByteWriter();
  writer.unsigned(transaction.refBlockNum, 2);
  writer.unsigned(transaction.refBlockPrefix, 4);
  writer.unsigned(transaction.expiration, 4);
  writer.varint(transaction.operations.length);
  for (const operation of transaction.operations) writeOperation(writer, operation, writeSymbol);
  writer.varint(0);
  return writer.finish();
}

/** Returns the id (40 hex digits) of a serialized transaction. */
export function transactionId(packed: Uint8Array): string {
  return bytesToHex(sha256(packed).subarray(0, 20));
}

/**
 * Returns the 32-byte digest that signatures of a serialized transaction cover on the chain `chainId` (64 hex digits).
 */
export function signingDigest(packed: Uint8Array, chainId: string): Uint8Array {
  return sha256(concatBytes(hexToBytes(chainId), packed));
}

type WriteSymbol = (writer: ByteWriter, symbol: Asset["symbol"]) => void;

const writeHf26Symbol: WriteSymbol = (writer, symbol) => writer.raw(hexToBytes(hf26Symbols[symbol]));

function writeLegacySymbol({ hbd, hive }: LegacyNames): WriteSymbol {
  const named = { HBD: [3, hbd], HIVE: [3, hive], VESTS: [6, "VESTS"] } as const;
  return (writer, symbol) => {
    const [precision, name] = named[symbol];
    writer.unsigned(precision, 1);
    writer.raw(utf8ToBytes(name.padEnd(NAME_BYTES, "\0")));
  };
}

function writeOperation(writer: ByteWriter, operation: Operation, writeSymbol: WriteSymbol): void {
  const writeAsset = ({ amount, symbol }: Asset) => {
    writer.int64(amount);
    writeSymbol(writer, symbol);
  };
  switch (operation.type) {
    case "transfer":
      writer.varint(2);
      writer.text(operation.from);
      writer.text(operation.to);
      writeAsset(operation.amount);
      writer.text(operation.memo);
      return;
    case "account_create":
      writer.varint(9);
      writeAsset(operation.fee);
      writer.text(operation.creator);
      writer.text(operation.new_account_name);
      for (const role of ["owner", "active", "posting"] as const) writeAuthority(writer, operation[role]);
      writer.raw(decodePublicKey(operation.memo_key));
      writer.text(operation.json_metadata);
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

/** Collects the chain's binary format: little-endian numbers, lengths as varints, strings as UTF-8. */
type ByteWriter = {
  unsigned(value: number, bytes: 1 | 2 | 4): void;
  int64(value: bigint): void;
  varint(value: number): void;
  raw(bytes: Uint8Array): void;
  text(value: string): void;
  finish(): Uint8Array;
};

const encoder = new TextEncoder();
const loneSurrogate = /\p{Surrogate}/u;

/** Returns true if a text has a binary form; an unpaired surrogate has none. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Creates an empty writer. Its methods throw RangeError for a value that the format cannot hold exactly. */
function createByteWriter(): ByteWriter {
  const out: number[] = [];
  const writer: ByteWriter = {
    unsigned(value, bytes) {
      if (!Number.isInteger(value) || value < 0 || value >= 2 ** (bytes * 8))
        throw new RangeError(`not an unsigned number of ${bytes} bytes`);
      for (let index = 0; index < bytes; index++) out.push((value >>> (index * 8)) & 0xff);
    },
    int64(value) {
      if (BigInt.asIntN(64, value) !== value) throw new RangeError("not a signed number of 8 bytes");
      for (let index = 0n; index < 8n; index++) out.push(Number((value >> (index * 8n)) & 0xffn));
    },
    varint(value) {
      let rest = value;
      for (; rest > 0x7f; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
      out.push(rest);
    },
    raw(bytes) {
      for (const byte of bytes) out.push(byte);
    },
    text(value) {
      if (!isWellFormed(value)) throw new RangeError("the text contains a lone surrogate");
      const bytes = encoder.encode(value);
      writer.varint(bytes.length);
      writer.raw(bytes);
    },
    finish: () => Uint8Array.from(out),
  };
  return writer;
}
