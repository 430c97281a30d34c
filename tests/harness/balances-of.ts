type Chain = { call(method: string, params: unknown): Promise<unknown> };
type Row = { name: string; hbd_balance: string };

const names = ["alice", "bob", "carol", "dave", "erin", "shop"] as const;
export type Balances = Record<(typeof names)[number], number>;

/** Returns the balances of the sandbox's accounts on the chain, in 1/1000 HBD. */
export async function balancesOf(chain: Chain): Promise<Balances> {
  const rows = (await chain.call("condenser_api.get_accounts", [names])) as Row[];
  const entries = rows.map(({ name, hbd_balance }) => [name, Number(hbd_balance.replace(/\D/g, ""))]);
  return Object.fromEntries(entries) as Balances;
}
