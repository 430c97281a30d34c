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

const FULL_AFTER_SECONDS = 432_000;

/** Nodes write what exceeds 32 bits as text or as a number. */
const Credits = z.union([z.number(), z.string().regex(/^-?\d{1,19}$/)]).transform(Number);

const ResourceCreditsFound = z.object({
  rc_accounts: z.array(
    z.object({
      account: z.string(),
      rc_manabar: z.object({ current_mana: Credits, last_update_time: z.number().int().nonnegative() }),
      max_rc: Credits,
    }),
  ),
});

/**
 * The resource credits that an account has at chain time `nowMs` (milliseconds since 1970): they grow back to the full
 * within five days. `null` when the node names no such account.
 * @throws ChainError where the node does not serve them, CodedError `chain_unavailable`
 */
export async function readResourceCredits(
  chain: ChainReader,
  account: string,
  nowMs: number,
  options?: ReadOptions,
): Promise<number | null> {
  const { rc_accounts } = await chain.read(
    "rc_api.find_rc_accounts",
    { accounts: [account] },
    ResourceCreditsFound,
    options,
  );
  const found = rc_accounts.find((one) => one.account === account);
  if (!found) return null;
  const { rc_manabar: bar, max_rc: most } = found;
  const seconds = Math.max(0, nowMs / 1000 - bar.last_update_time);
  return Math.min(most, bar.current_mana + (most * seconds) / FULL_AFTER_SECONDS);
}
