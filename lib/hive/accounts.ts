import { z } from "zod";
import { Authority } from "./authority.ts";
import { isUnknownMethod } from "./call-node.ts";
import type { ChainReader, ReadOptions } from "./chain-state.ts";

/** A balance in 1/1000 HBD, from either form in which nodes write assets. */
const Hbd = z
  .union([
    z
      .string()
      .regex(/^\d{1,12}\.\d{3} HBD$/)
      .transform((text) => Number(text.slice(0, -4).replace(".", ""))),
    z
      .object({
        amount: z.union([z.string().regex(/^\d{1,15}$/), z.number().int()]),
        precision: z.literal(3),
        nai: z.literal("@@000000013"),
      })
      .transform(({ amount }) => Number(amount)),
  ])
  .pipe(z.number().int().nonnegative());

export const ChainAccount = z
  .object({
    name: z.string(),
    owner: Authority,
    active: Authority,
    posting: Authority,
    hbd_balance: Hbd,
  })
  .transform(({ hbd_balance, ...account }) => ({ ...account, hbdMillis: hbd_balance }));
export type ChainAccount = z.infer<typeof ChainAccount>;

const Found = z.object({ accounts: z.array(ChainAccount) });

/**
 * Reads accounts with their current authorities and HBD balance; names that the chain does not know are missing in the map.
 * Public nodes cache this answer for up to 3 s.
 * @throws CodedError `chain_unavailable`
 */
export async function readAccounts(
  chain: ChainReader,
  names: readonly string[],
  options?: ReadOptions,
): Promise<Map<string, ChainAccount>> {
  if (names.length === 0) return new Map();
  const wanted = { accounts: names, delayed_votes_active: true };
  const accounts = await chain
    .read("database_api.find_accounts", wanted, Found, options)
    .then((found) => found.accounts)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return chain.read("condenser_api.get_accounts", [names], z.array(ChainAccount), options);
    });
  return byName(accounts, names);
}

/** Only what was asked for: an answer about other accounts is no answer. */
function byName(accounts: readonly ChainAccount[], names: readonly string[]): Map<string, ChainAccount> {
  return new Map(
    accounts.flatMap((account) => (names.includes(account.name) ? [[account.name, account]] : [])),
  );
}
