import { readAccounts } from "./accounts.ts";
import type { Authority } from "./authority.ts";
import type { HiveClient } from "./client.ts";

/**
 * The account's posting authority, null when the chain does not know the account, by the word of two nodes where two are
 * configured: who could name a key alone could take over every account.
 * @throws CodedError `chain_unavailable` when no two say the same
 */
export async function readPostingAuthority(client: HiveClient, account: string): Promise<Authority | null> {
  const [posting] = await client.agree(
    async (node) => (await readAccounts(node, [account])).get(account)?.posting ?? null,
  );
  return posting;
}
