import { bytesToHex } from "@noble/hashes/utils.js";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { formatTime } from "../parse/fields.ts";
import type { SignedTransaction, Symbols } from "../types.ts";
import { createAssetRenderer, type Form } from "./account.ts";

/**
 * Renders a signed transaction in one of the two JSON forms: pairs of name and body, or objects with type and
 * value.
 */
export function renderTransaction(transaction: SignedTransaction, form: Form, symbols: Symbols) {
  return {
    ref_block_num: transaction.refBlockNum,
    ref_block_prefix: transaction.refBlockPrefix,
    expiration: formatTime(transaction.expiration),
    operations: transaction.operations.map((operation) => renderOperation(operation, form, symbols)),
    extensions: [],
    signatures: transaction.signatures.map(bytesToHex),
  };
}

/** Renders one operation in one of the two JSON forms. */
export function renderOperation(operation: Operation, form: Form, symbols: Symbols) {
  const { type, ...fields } = operation;
  const asset = createAssetRenderer(form, symbols);
  const body: Record<string, unknown> = { ...fields };
  if ("amount" in fields) body.amount = asset(fields.amount.amount, fields.amount.symbol);
  if ("fee" in fields) body.fee = asset(fields.fee.amount, fields.fee.symbol);
  if (type === "account_update2") body.extensions = [];
  return form === "text" ? [type, body] : { type: `${type}_operation`, value: body };
}
