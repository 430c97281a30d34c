import type { Operation } from "../../../lib/hive/transaction.ts";
import type { Chain } from "../chain.ts";
import { formatTime } from "../parse/fields.ts";
import type { BlockHeader, Included } from "../state/store.ts";
import type { Block } from "../types.ts";
import type { Form } from "./account.ts";
import { renderOperation, renderTransaction } from "./transaction.ts";

const ZEROS = "0".repeat(40);
const WITNESS_KEY = "STM6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4";

export function renderHeader(header: BlockHeader) {
  return {
    previous: header.previous,
    timestamp: formatTime(header.time),
    witness: "initminer",
    transaction_merkle_root: ZEROS,
    extensions: [],
  };
}

/** A block with its transactions. Witness signature and merkle root are zeros: blocks here are signed by nobody. */
export function renderBlock(block: Block, form: Form, { symbols }: Chain) {
  return {
    ...renderHeader(block),
    witness_signature: "0".repeat(130),
    transactions: block.transactions.map(({ transaction }) => renderTransaction(transaction, form, symbols)),
    block_id: block.id,
    signing_key: WITNESS_KEY,
    transaction_ids: block.transactions.map(({ id }) => id),
  };
}

/** A transaction with its place on the chain. */
export function renderIncluded(included: Included, form: Form, { symbols }: Chain) {
  return {
    ...renderTransaction(included.transaction, form, symbols),
    transaction_id: included.id,
    block_num: included.blockNum,
    transaction_num: included.trxNum,
  };
}

/** The operations of a block, each with its place. */
export function renderOperations(block: Block, form: Form, { symbols }: Chain) {
  return block.transactions.flatMap(({ id, transaction }, trxNum) =>
    transaction.operations.map((operation, opNum) =>
      placed(operation, { id, block, trxNum, opNum }, form, symbols),
    ),
  );
}

/** One operation of a transaction as histories show it. */
export function renderHistoryEntry(
  included: Included,
  opNum: number,
  form: Form,
  { symbols, history }: Chain,
) {
  const { id, blockNum, trxNum, transaction } = included;
  const block = history.loadBlock(blockNum);
  const operation = transaction.operations[opNum];
  return block && operation ? placed(operation, { id, block, trxNum, opNum }, form, symbols) : null;
}

type Place = { id: string; block: Block; trxNum: number; opNum: number };

function placed(
  operation: Operation,
  { id, block, trxNum, opNum }: Place,
  form: Form,
  symbols: Chain["symbols"],
) {
  return {
    trx_id: id,
    block: block.num,
    trx_in_block: trxNum,
    op_in_trx: opNum,
    virtual_op: false,
    timestamp: formatTime(block.time),
    op: renderOperation(operation, form, symbols),
  };
}
