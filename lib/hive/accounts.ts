import { z } from "zod";
import { isMils, type Mils, parseMils } from "../mils.ts";
import { findAccountsCall } from "./account-reads.ts";
import { Authority } from "./authority.ts";
import { isUnknownMethod } from "./chain-node.ts";
import type { ChainReader, ReadOptions } from "./chain-reader.ts";
import { ChainTime } from "./chain-state.ts";
import type { HiveClient } from "./client.ts";

/** A balance, read from either format that nodes use for assets. */
const Hbd = z
  .union([
    z.string().transform(parseMils),
    z
      .object({
        amount: z.union([z.string().regex(/^\d{1,15}$/), z.number()]),
        precision: z.literal(3),
        nai: z.literal("@@000000013"),
      })
      .transform(({ amount }) => Number(amount)),
  ])
  .pipe(z.custom<Mils>(isMils));

export const ChainAccount = z
  .object({
    name: z.string(),
    owner: Authority,
    active: Authority,
    posting: Authority,
    hbd_balance: Hbd,
    last_account_update: ChainTime.optional(),
  })
  .transform(({ hbd_balance, last_account_update = 0, ...account }) => ({
    ...account,
    hbdMils: hbd_balance,
    /** The time of the last change of the account's keys or profile, in ms since 1970. */
    updatedAtMs: last_account_update,
  }));
export type ChainAccount = z.infer<typeof ChainAccount>;

const ChainAccounts = z.array(ChainAccount);
const Found = z.object({ accounts: ChainAccounts });

/**
 * Reads accounts with their current authorities and HBD balance; unknown names are missing from the map.
 * Public nodes cache this answer for up to 3 s.
 * @throws CodedError `chain_unavailable`
 */
export async function readAccounts(
  chain: ChainReader,
  names: readonly string[],
  options?: ReadOptions,
): Promise<Map<string, ChainAccount>> {
  if (names.length === 0) return new Map();
  const { method, params } = findAccountsCall(names);
  const accounts = await chain
    .read(method, params, Found, options)
    .then((found) => found.accounts)
    .catch((error: unknown) => {
      if (!isUnknownMethod(error)) throw error;
      return chain.read("condenser_api.get_accounts", [names], ChainAccounts, options);
    });
  return byName(accounts, names);
}

/** Indexes the requested accounts by name, and ignores any others in the answer. */
function byName(accounts: readonly ChainAccount[], names: readonly string[]): Map<string, ChainAccount> {
  return new Map(
    accounts.flatMap((account) => (names.includes(account.name) ? [[account.name, account]] : [])),
  );
}

const FULL_AFTER_SECONDS = 432_000;

/** Nodes write numbers beyond 32 bits as a string or as a number. */
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
 * Returns the resource credits of an account at chain time `nowMs` (ms since 1970), or `null` if the node has
 * no such account. Credits recover fully within five days.
 * @throws ChainError if the node does not serve them, CodedError `chain_unavailable`
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

/**
 * Returns the account's posting authority, or null for a missing account. If two or more nodes are configured, two must
 * agree, because a single node that invents a key could take over any account.
 * @throws CodedError `chain_unavailable` if no two agree
 */
export async function readPostingAuthority(client: HiveClient, account: string): Promise<Authority | null> {
  const [posting] = await client.agree(
    async (node) => (await readAccounts(node, [account])).get(account)?.posting ?? null,
  );
  return posting;
}
