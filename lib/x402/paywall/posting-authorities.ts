import { z } from "zod";
import { distinctNodes } from "../../chains.ts";
import { CodedError } from "../../errors.ts";
import { agreeAmong } from "../../hive/agree-among.ts";
import { Authority } from "../../hive/authority.ts";
import { type AuthorityCache, createAuthorityCache } from "../../hive/authority-cache.ts";
import { callNode } from "../client/call-node.ts";

const Accounts = z.array(z.object({ name: z.string(), posting: Authority })).max(1);
const Found = z.object({ accounts: Accounts });

/**
 * Maximum number of accounts to read at once. Anyone can name any account, so a single caller could otherwise ask
 * for thousands.
 */
const MAX_READS = 16;

/**
 * Creates a cache of the posting authorities on which two of `nodes` agree, or that the only one reports.
 * Rejects with CodedError `chain_unavailable` if no two agree.
 */
export function createPostingAuthorities(nodes: readonly string[]): AuthorityCache {
  const distinct = distinctNodes(nodes);
  let reading = 0;
  return createAuthorityCache({
    async load(account) {
      if (reading >= MAX_READS) throw new CodedError("chain_unavailable");
      reading++;
      try {
        const [authority] = await agreeAmong(distinct, (node) => readPosting(node, account), {
          onSkip: () => {},
          isSilence: () => true,
        });
        return authority;
      } finally {
        reading--;
      }
    },
  });
}

async function readPosting(node: string, account: string): Promise<Authority | null> {
  const wanted = { accounts: [account], delayed_votes_active: true };
  const { data } = Found.safeParse(await callNode(node, "database_api.find_accounts", wanted));
  const found =
    data?.accounts ?? Accounts.parse(await callNode(node, "condenser_api.get_accounts", [[account]]));
  return found.find(({ name }) => name === account)?.posting ?? null;
}
