import { log } from "../../log.ts";
import { listAllAccessTokens, readUsers } from "../../mattermost/users.ts";
import { madeAtOf } from "../access/pat-vault.ts";
import type { UnlistedToken } from "../access/unlisted-tokens.ts";
import type { Chat } from "./chat.ts";

const FOUND = "unlisted-tokens:found";
const DAY_SECONDS = 86_400;
/** The pause before the next search if Mattermost or the store failed, or the searching process died. */
const AGAIN_SECONDS = 900;
/** Each page holds 200 tokens. */
const MOST_PAGES = 500;
const PASSES = 2;

/**
 * Adds the gateway's tokens without a known sign-in to the watch, once a day and after a loss of the store. One of the
 * processes on a store pages through Mattermost's list, one call at a time. Never rejects.
 */
export async function findUnlisted(chat: Chat): Promise<void> {
  const { store } = chat;
  try {
    if (!(await store.setIfAbsent(FOUND, "begun", AGAIN_SECONDS))) return;
    await enterAll(chat);
    await store.set(FOUND, "done", DAY_SECONDS);
  } catch (error) {
    log().warn({ cause: (error as Error).name }, "tokens without a sign-in could not be searched for");
  }
}

async function enterAll(chat: Chat): Promise<void> {
  let missing = await chat.unlisted.list();
  // Revoking a token moves later ones to the previous page, so a token is gone only if it is missing twice.
  for (let pass = 1; pass <= PASSES; pass++) {
    const found = await enterPages(chat);
    if (found === null) return;
    missing = missing.filter(({ tokenId }) => !found.has(tokenId));
    if (missing.length === 0) return;
  }
  await chat.unlisted.forget(missing);
}

/** Adds the tokens of all pages, and returns the ids of the gateway's tokens; null if there are too many pages. */
async function enterPages(chat: Chat): Promise<Set<string> | null> {
  const found = new Set<string>();
  for (let page = 0; page < MOST_PAGES; page++) {
    const { tokens, isLast } = await listAllAccessTokens(chat.admin, page);
    const made = tokens.flatMap(({ id, user_id, description }) => {
      const madeAtMs = madeAtOf(description);
      return madeAtMs === null ? [] : [{ tokenId: id, userId: user_id, madeAtMs }];
    });
    for (const { tokenId } of made) found.add(tokenId);
    await chat.unlisted.add(await withoutListed(chat, made));
    if (isLast) return found;
  }
  return null;
}

/** Returns the tokens of users who belong to an account here, except those of the account's sign-ins. */
async function withoutListed(
  chat: Chat,
  made: ReadonlyArray<Omit<UnlistedToken, "account">>,
): Promise<UnlistedToken[]> {
  const users = await readUsers(chat.admin, [...new Set(made.map(({ userId }) => userId))]);
  const unlisted: UnlistedToken[] = [];
  for (const { id, email } of users) {
    const account = (await chat.identities.accountOf(id)) ?? chat.addresses.accountOf(email);
    if (account === null) continue;
    const { signIns } = await chat.vault.read(account);
    // The single token that earlier versions stored has no proof.
    const listed = new Set(signIns.filter(({ proof }) => proof !== "").map(({ tokenId }) => tokenId));
    for (const token of made)
      if (token.userId === id && !listed.has(token.tokenId)) unlisted.push({ ...token, account });
  }
  return unlisted;
}
