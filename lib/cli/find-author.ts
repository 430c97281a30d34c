import type { ChatClient } from "../chat-client/index.ts";
import { isAccountName } from "../hive/account-name.ts";

/**
 * Returns the account of a message's author, or null if the name of the sender is not that of an account, or not proven
 * to be the author's. Programs and users without an account choose the names that they show.
 */
export async function findAuthor(
  chat: Pick<ChatClient, "users">,
  { userId, senderName }: { userId: string; senderName: string },
  signal?: AbortSignal,
): Promise<string | null> {
  const name = senderName.replace(/^@/, "");
  if (!isAccountName(name)) return null;
  const found = await chat.users.search(name, { ...(signal && { signal }) });
  return found.some(({ id, username }) => id === userId && username === name) ? name : null;
}
