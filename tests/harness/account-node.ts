import { postingKey } from "./form-access-token.ts";
import { type ScriptedReply, startScriptedNode } from "./start-scripted-node.ts";

export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;

type Account = { name: string; keys: string[] };

/** A node that knows accounts by their posting keys alone; the test changes keys, takes it down, or makes it babble. */
export async function startAccountNode(names: readonly string[]) {
  const keyOf = (name: string) => postingKey(name).createPublic().toString();
  const accounts = new Map<string, Account>(names.map((name) => [name, { name, keys: [keyOf(name)] }]));
  let fault: ScriptedReply | null = null;

  const toJson = ({ name, keys }: Account) => {
    const authority = { weight_threshold: 1, account_auths: [], key_auths: keys.map((key) => [key, 1]) };
    return { name, owner: authority, active: authority, posting: authority, hbd_balance: "0.000 HBD" };
  };
  const node = await startScriptedNode(MAINNET_CHAIN_ID, ({ method, params }) => {
    if (fault) return fault;
    if (method !== "database_api.find_accounts") return { result: [] };
    const asked = (params as { accounts: string[] }).accounts;
    const known = asked.flatMap((name) => accounts.get(name) ?? []);
    return { result: { accounts: known.map(toJson) } };
  });
  return {
    ...node,
    /** The account signs with another account's key from now on. */
    changeKey(name: string, owner: string) {
      accounts.set(name, { name, keys: [keyOf(owner)] });
    },
    /** What every call gets from now on; null ends it. */
    setFault(reply: ScriptedReply | null) {
      fault = reply;
    },
  };
}
