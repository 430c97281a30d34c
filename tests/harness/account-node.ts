import { postingKey } from "./form-access-token.ts";
import { type ScriptedReply, startScriptedNode } from "./start-scripted-node.ts";

export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;

type Account = { name: string; keys: string[] };

/**
 * Starts a node that only serves accounts by their posting keys. The test changes keys, takes the node down,
 * or makes it answer nonsense.
 */
export async function startAccountNode(names: readonly string[]) {
  const keyOf = (name: string) => postingKey(name).createPublic().toString();
  const accounts = new Map<string, Account>(names.map((name) => [name, { name, keys: [keyOf(name)] }]));
  let fault: ScriptedReply | null = null;
  let aheadMs = 0;

  const toJson = ({ name, keys }: Account) => {
    const authority = { weight_threshold: 1, account_auths: [], key_auths: keys.map((key) => [key, 1]) };
    return { name, owner: authority, active: authority, posting: authority, hbd_balance: "0.000 HBD" };
  };
  const head = () => ({
    ...{ head_block_number: 100, head_block_id: "0".repeat(40), last_irreversible_block_num: 80 },
    time: new Date(Date.now() + aheadMs).toISOString().slice(0, 19),
  });
  const node = await startScriptedNode(MAINNET_CHAIN_ID, ({ method, params }) => {
    if (fault) return fault;
    if (method === "condenser_api.get_dynamic_global_properties") return { result: head() };
    if (method !== "database_api.find_accounts") return { result: [] };
    const asked = (params as { accounts: string[] }).accounts;
    const known = asked.flatMap((name) => accounts.get(name) ?? []);
    return { result: { accounts: known.map(toJson) } };
  });
  return {
    ...node,
    /** Gives the account the key of another account, in a block this many seconds from now. */
    changeKey(name: string, owner: string, seconds = 15) {
      accounts.set(name, { name, keys: [keyOf(owner)] });
      aheadMs = seconds * 1000;
    },
    /** Sets the answer to every call from now on; null restores the normal answers. */
    setFault(reply: ScriptedReply | null) {
      fault = reply;
    },
  };
}
