import { utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { isAccountName } from "../hive/account-name.ts";
import { isWellFormed, packTransaction, transactionId } from "../hive/packing.ts";
import { parseSignature, type UnsignedTransaction } from "../hive/transaction.ts";
import { formatMils, type Mils, parseMils, toMils } from "../mils.ts";
import { isOtherCoin } from "./amount.ts";

const MAX_SIGNATURES = 8;
/** The chain accepts memos below this length. */
const MEMO_LIMIT_BYTES = 2048;
const HBD_NAI = "@@000000013";

const Transfer = z.strictObject({ from: z.string(), to: z.string(), amount: z.unknown(), memo: z.string() });

/**
 * Exactly the chain's fields, because an additional one could mean something else to the chain than to us.
 */
const SignedTransfer = z.strictObject({
  ref_block_num: z.number().int().min(0).max(0xffff),
  ref_block_prefix: z.number().int().min(0).max(0xffffffff),
  expiration: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
  operations: z
    .tuple([
      z.union([
        z.tuple([z.literal("transfer"), Transfer]).transform(([, value]) => value),
        z
          .strictObject({ type: z.literal("transfer_operation"), value: Transfer })
          .transform(({ value }) => value),
      ]),
    ])
    .transform(([transfer]) => transfer),
  extensions: z.tuple([]),
  signatures: z.array(z.string()).max(64),
});

const NaiAsset = z.strictObject({ amount: z.string(), precision: z.number(), nai: z.string() });

/** A signed transfer, checked without the chain, with the ids of both packings. */
export type SignedTransfer = {
  from: string;
  to: string;
  amountMils: Mils;
  memo: string;
  expirationMs: number;
  refBlockNum: number;
  refBlockPrefix: number;
  signatures: readonly Uint8Array[];
  ids: { legacy: string; hf26: string };
  packed: { legacy: Uint8Array; hf26: Uint8Array };
  /** The transaction rebuilt from its checked fields, in the format of nodes. */
  transaction: ChainTransaction;
};

export type ChainTransaction = {
  ref_block_num: number;
  ref_block_prefix: number;
  expiration: string;
  operations: [["transfer", { from: string; to: string; amount: string; memo: string }]];
  extensions: [];
  signatures: string[];
};

export type TransferFault =
  | "invalid_payload"
  | "invalid_amount"
  | "asset_mismatch"
  | "memo_invalid"
  | "signature_missing"
  | "signature_invalid";

/**
 * Reads a signed transaction, which must be a single HBD transfer, or returns its first fault. Never throws,
 * whatever `input` is.
 */
export function readTransfer(input: unknown): SignedTransfer | TransferFault {
  const shape = SignedTransfer.safeParse(input);
  if (!shape.success) return "invalid_payload";
  const { expiration, extensions, ...given } = shape.data;
  const { from, to, amount, memo } = given.operations;
  const expirationMs = readTime(expiration);
  if (expirationMs === null || !isAccountName(from) || !isAccountName(to)) return "invalid_payload";
  const amountMils = readAmount(amount);
  if (typeof amountMils === "string") return amountMils;
  if (!isWellFormed(memo) || utf8ToBytes(memo).length >= MEMO_LIMIT_BYTES) return "memo_invalid";
  if (given.signatures.length === 0) return "signature_missing";
  const signatures = given.signatures.map(parseSignature).filter((signature) => signature !== null);
  if (given.signatures.length > MAX_SIGNATURES || signatures.length < given.signatures.length)
    return "signature_invalid";

  const unsigned: UnsignedTransaction = {
    refBlockNum: given.ref_block_num,
    refBlockPrefix: given.ref_block_prefix,
    expiration: expirationMs / 1000,
    operations: [{ type: "transfer", from, to, amount: { amount: BigInt(amountMils), symbol: "HBD" }, memo }],
  };
  const packed = { legacy: packTransaction(unsigned, "legacy"), hf26: packTransaction(unsigned, "hf26") };
  return {
    from,
    to,
    amountMils,
    memo,
    expirationMs,
    refBlockNum: given.ref_block_num,
    refBlockPrefix: given.ref_block_prefix,
    signatures,
    packed,
    ids: { legacy: transactionId(packed.legacy), hf26: transactionId(packed.hf26) },
    transaction: {
      ref_block_num: given.ref_block_num,
      ref_block_prefix: given.ref_block_prefix,
      expiration,
      operations: [["transfer", { from, to, amount: formatMils(amountMils), memo }]],
      extensions,
      signatures: given.signatures,
    },
  };
}

/** Parses a positive amount, from the strict text format or the format with an asset number. */
export function readAmount(amount: unknown): Mils | "invalid_amount" | "asset_mismatch" {
  const text = typeof amount === "string" ? amount : textOfNai(amount);
  const mils = parseMils(text);
  // The chain refuses transfers of zero.
  if (mils !== null) return mils === 0 ? "invalid_amount" : mils;
  return isOtherCoin(text) ? "asset_mismatch" : "invalid_amount";
}

function textOfNai(amount: unknown): string {
  const { data } = NaiAsset.safeParse(amount);
  if (!data || !/^(0|[1-9]\d{0,14})$/.test(data.amount)) return "";
  if (data.nai !== HBD_NAI) return "1.000 OTHER";
  return data.precision === 3 ? formatMils(toMils(Number(data.amount))) : "";
}

/** Refuses dates that do not exist, which `Date` would move into the next month. */
function readTime(text: string): number | null {
  const ms = Date.parse(`${text}Z`);
  const isReal = Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text);
  return isReal && ms >= 0 && ms / 1000 <= 0xffffffff ? ms : null;
}
