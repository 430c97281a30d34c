import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { startScriptedNode } from "../harness/start-scripted-node.ts";
import { BENCH_CHAIN_ID, benchHead } from "./verify-payment.ts";

/**
 * A chain that stands still, answers immediately and includes everything in its next block, so that only the
 * facilitator is measured.
 */
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

const included = { status: "within_reversible_block", block_num: benchHead.head_block_number + 1 };

const node = await startScriptedNode(BENCH_CHAIN_ID, ({ method }) => {
  if (method === "database_api.find_accounts") return { result: found };
  if (method === "transaction_status_api.find_transaction") return { result: included };
  return { result: method === "condenser_api.broadcast_transaction" ? {} : benchHead };
});
process.send?.({ url: node.url });
