import { forEachWithConcurrency } from "../../async/concurrency.ts";
import { readAccounts, readPostingAuthority } from "../../hive/accounts.ts";
import type { Authority } from "../../hive/authority.ts";
import type { ChainReader } from "../../hive/chain-reader.ts";
import { log } from "../../log.ts";
import { isStaff, readUsers } from "../../mattermost/users.ts";
import type { UnlistedToken } from "../access/unlisted-tokens.ts";
import type { Chat } from "./chat.ts";
import { findUnlisted } from "./find-unlisted.ts";
import { endOfLostKeys, endOfStaff, endOfUnlisted } from "./sign-ins.ts";

/**
 * `everyMs` is the interval between checks whether a round is due. A round is due `roundSeconds` after the
 * last one began, well below a minute.
 */
const usual = { everyMs: 5000, roundSeconds: 15 };
const ROUND = "sign-ins:round";
/** Maximum number of accounts per call. */
const OF_A_PART = 100;
/** Low enough to leave the nodes and Mattermost capacity for others. */
const PARTS_AT_ONCE = 4;
const MOST_ACCOUNTS = 100_000;

/** The pace of the watch; only tests change it, because they cannot wait that long. */
type Pace = typeof usual;

/**
 * Checks every account with a sign-in several times a minute, even across restarts, and ends sign-ins that
 * are no longer valid: those whose key two chain nodes report as replaced, and those of users who became
 * Mattermost staff. One of the processes on a store runs each round, by the store's clock. Returns the
 * function that ends the watch.
 */
export function watchSignIns(chat: () => Chat, { everyMs, roundSeconds }: Pace = usual): () => void {
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const { store } = chat();
      void findUnlisted(chat());
      if (await store.setIfAbsent(ROUND, "taken", roundSeconds)) await lookAtAll(chat());
    } catch (error) {
      log().warn(
        { cause: (error as Error).name },
        "sign-ins could not be checked; the next round checks them again",
      );
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return () => clearInterval(timer);
}

async function lookAtAll(chat: Chat): Promise<void> {
  const [signedIn, unlisted] = await Promise.all([
    chat.vault.listSignedIn(MOST_ACCOUNTS),
    chat.unlisted.list(),
  ]);
  const tokensOf = new Map<string, UnlistedToken[]>();
  for (const token of unlisted) tokensOf.set(token.account, [...(tokensOf.get(token.account) ?? []), token]);
  const all = [...new Set([...signedIn, ...tokensOf.keys()])];
  const parts = Array.from({ length: Math.ceil(all.length / OF_A_PART) }, (_, index) =>
    all.slice(index * OF_A_PART, (index + 1) * OF_A_PART),
  );
  await forEachWithConcurrency(parts, PARTS_AT_ONCE, async (accounts) =>
    tellFailures(
      await Promise.allSettled([endByKey(chat, accounts, tokensOf), endByRole(chat, accounts, tokensOf)]),
    ),
  );
}

type TokensOf = ReadonlyMap<string, readonly UnlistedToken[]>;

/**
 * Logs that some accounts could not be checked. An account that cannot be checked waits for the next round,
 * and does not hold up others.
 */
function tellFailures(results: ReadonlyArray<PromiseSettledResult<unknown>>): void {
  for (const result of results)
    if (result.status === "rejected")
      log().warn(
        { cause: (result.reason as Error).name },
        "some sign-ins could not be checked; the next round checks them again",
      );
}

async function endByKey(chat: Chat, accounts: readonly string[], tokensOf: TokensOf): Promise<void> {
  const ends = (await readKeys(chat, accounts)).flatMap(({ account, authority, updatedAtMs }) => [
    endOfLostKeys(chat, account, authority),
    endOfUnlisted(chat, account, tokensOf.get(account) ?? [], updatedAtMs),
  ]);
  tellFailures(await Promise.allSettled(ends));
}

/** The posting authority of an account, and when it last changed its keys or profile. */
type Keys = { account: string; authority: Authority | null; updatedAtMs: number };

/**
 * Reads the accounts' keys. Two nodes must agree; if they differ about an account, a third node decides about
 * that account.
 */
async function readKeys({ hive }: Chat, accounts: readonly string[]): Promise<Keys[]> {
  const read = async (node: ChainReader) => {
    const found = await readAccounts(node, accounts);
    return accounts.map((name) => found.get(name) ?? null);
  };
  const [one, other = one] = await hive.agree(read, { isSame: () => true });
  const each = await Promise.allSettled(
    accounts.map(async (account, index): Promise<Keys> => {
      const [first, second] = [one[index] ?? null, other[index] ?? null];
      const authority = first?.posting ?? null;
      const isAgreed = JSON.stringify(authority) === JSON.stringify(second?.posting ?? null);
      return {
        account,
        authority: isAgreed ? authority : await readPostingAuthority(hive, account),
        // A change counts only once both nodes have seen it.
        updatedAtMs: Math.min(first?.updatedAtMs ?? 0, second?.updatedAtMs ?? 0),
      };
    }),
  );
  return each.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

async function endByRole(chat: Chat, accounts: readonly string[], tokensOf: TokensOf): Promise<void> {
  const accountOf = new Map<string, string>();
  await Promise.all(
    accounts.map(async (account) => {
      const bound = await chat.identities.userOf(account);
      if (bound !== null) accountOf.set(bound, account);
      for (const { userId } of tokensOf.get(account) ?? []) accountOf.set(userId, account);
    }),
  );
  const users = await readUsers(chat.admin, [...accountOf.keys()]);
  const ends = users.filter(isStaff).map(async ({ id }) => {
    const account = accountOf.get(id);
    if (account === undefined) return;
    await endOfStaff(chat, account, id);
    await chat.unlisted.forget(tokensOf.get(account) ?? []);
  });
  tellFailures(await Promise.allSettled(ends));
}
