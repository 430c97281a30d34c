import { readTransfer } from "../../lib/x402/transfer.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { startScriptedNode } from "../harness/start-scripted-node.ts";
import { BENCH_CHAIN_ID, benchHead } from "./verify-payment.ts";

/** A chain that answers at once and includes everything in its next block, so that only the facilitator is measured. */
const BLOCK_MS = 250;

const accounts = sandboxAccounts.map(({ name, keys }) => {
  const authority = (key: string) => ({ weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });
  return {
    name,
    owner: authority(keys.owner.publicKey),
    active: authority(keys.active.publicKey),
    posting: authority(keys.posting.publicKey),
    hbd_balance: { amount: "100000", precision: 3, nai: "@@000000013" },
  };
});
const found = { accounts: accounts.filter(({ name }) => name === "alice" || name === "shop") };

/** The ids of each block after the first. */
const blocks: string[][] = [];
let pool: string[] = [];
const blockOf = new Map<string, number>();
const FIRST = benchHead.head_block_number + 1;
setInterval(() => {
  for (const id of pool) blockOf.set(id, FIRST + blocks.length);
  blocks.push(pool);
  pool = [];
}, BLOCK_MS);

const idOf = (block: number) =>
  block < FIRST ? benchHead.head_block_id : block.toString(16).padStart(8, "0") + "0".repeat(32);
const head = () => {
  const head_block_number = FIRST - 1 + blocks.length;
  return {
    ...benchHead,
    head_block_number,
    head_block_id: idOf(head_block_number),
    last_irreversible_block_num: head_block_number - 1,
  };
};

const answers: Record<string, (params: never) => unknown> = {
  "database_api.find_accounts": () => found,
  "condenser_api.get_dynamic_global_properties": head,
  "condenser_api.get_block_header": ([block]: [number]) => ({ previous: idOf(block - 1) }),
  "condenser_api.get_block": ([block]: [number]) => {
    const transaction_ids = blocks[block - FIRST];
    return transaction_ids ? { block_id: idOf(block), transaction_ids } : null;
  },
  "condenser_api.broadcast_transaction": ([transaction]: [unknown]) => {
    const transfer = readTransfer(transaction);
    if (typeof transfer !== "string") pool.push(transfer.ids.legacy);
    return {};
  },
  "transaction_status_api.find_transaction": ({ transaction_id }: { transaction_id: string }) => {
    const block_num = blockOf.get(transaction_id);
    if (block_num !== undefined) return { status: "within_reversible_block", block_num };
    return { status: pool.includes(transaction_id) ? "within_mempool" : "unknown" };
  },
};

const startNode = () =>
  startScriptedNode(BENCH_CHAIN_ID, ({ method, params }) => {
    const answer = answers[method];
    if (!answer) return { error: { code: -32601, message: "Method not found" } };
    return { result: answer(params as never) };
  });
// Payments are judged by two nodes.
const nodes = [await startNode(), await startNode()];
process.send?.({ url: nodes.map(({ url }) => url).join(",") });
