import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import type { Packing } from "../../../lib/hive/packing.ts";
import type { Chain } from "../chain.ts";
import { assertion } from "../errors.ts";
import { packFor } from "../ledger/apply.ts";
import { formatTime, readHex, readTime } from "../parse/fields.ts";
import { parseTransaction } from "../parse/transaction.ts";
import type { Form } from "../render/account.ts";
import { renderIncluded } from "../render/block.ts";
import type { SignedTransaction } from "../types.ts";

/** Where a transaction is, with the words of `transaction_status_api`. */
export function findStatus(chain: Chain, id: string, expiration: unknown) {
  if (chain.isInPool(id)) return { status: "within_mempool" };
  const included = chain.history.findTransaction(id);
  if (included) {
    const isFinal = included.blockNum <= chain.lastIrreversible();
    return {
      status: isFinal ? "within_irreversible_block" : "within_reversible_block",
      block_num: included.blockNum,
      rc_cost: included.resourceCost,
    };
  }
  return { status: expiration === undefined ? "unknown" : statusAfter(chain, readTime(expiration)) };
}

function statusAfter(chain: Chain, expiration: number): string {
  if (expiration > chain.head().time) return "unknown";
  const irreversible = chain.history.loadBlock(chain.lastIrreversible());
  return irreversible && expiration < irreversible.time ? "expired_irreversible" : "expired_reversible";
}

/** The transaction of that id with its place. @throws ChainFault when it is in no block that counts */
export function getTransaction(chain: Chain, id: string, form: Form, includesReversible: boolean) {
  const included = chain.history.findTransaction(id);
  const isShown = included && (includesReversible || included.blockNum <= chain.lastIrreversible());
  if (!isShown) throw assertion("false", "Unknown Transaction <id>", { id });
  return renderIncluded(included, form, chain);
}

/** A transaction id: 40 hex digits of either case. @throws ChainFault for other characters */
export function readTransactionId(value: unknown): string {
  return bytesToHex(readHex(value, 20));
}

/** Takes a transaction and waits for the block that holds it. */
export async function broadcastAndWait(chain: Chain, value: unknown) {
  const { id, transaction } = await chain.push(parseTransaction(value, chain.symbols));
  for (;;) {
    await chain.nextBlock();
    const included = chain.history.findTransaction(id);
    if (included)
      return {
        id,
        block_num: included.blockNum,
        trx_num: included.trxNum,
        rc_cost: included.resourceCost,
        expired: false,
      };
    if (!chain.isInPool(id) || transaction.expiration < chain.head().time)
      throw assertion("false", "Transaction expired at <time>", { time: formatTime(transaction.expiration) });
  }
}

/** The whole transaction in binary, signatures included, as hex digits. */
export function toHex({ symbols }: Chain, transaction: SignedTransaction, packing: Packing): string {
  const count = Uint8Array.of(transaction.signatures.length);
  return bytesToHex(concatBytes(packFor(symbols, transaction, packing), count, ...transaction.signatures));
}
