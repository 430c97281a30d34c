import { readAccounts, readAccountsFromTwo } from "./accounts.ts";
import type { Authority } from "./authority.ts";
import type { HiveClient } from "./client.ts";

/**
 * The account's posting authority, null when the chain does not know the account; for a second opinion two nodes are
 * asked where two answer, and the one that was not the first speaks.
 * @throws CodedError `chain_unavailable`
 */
export async function readPostingAuthority(
  client: HiveClient,
  account: string,
  isSecondOpinion: boolean,
): Promise<Authority | null> {
  const names = [account];
  if (isSecondOpinion) {
    const views = await readAccountsFromTwo(client, names).catch(() => []);
    const view = views.at(-1);
    if (view) return view.get(account)?.posting ?? null;
  }
  return (await readAccounts(client, names)).get(account)?.posting ?? null;
}
