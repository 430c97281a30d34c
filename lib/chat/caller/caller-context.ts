import type { AbortEvent } from "../../async/departure.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Chat } from "./chat.ts";
import { findPatOwner, hashPat } from "./pat-owners.ts";

/** The dependencies of a request: the chat, and access to Mattermost as the caller. */
export type CallerContext = { chat: Chat; caller: MattermostCaller; patHash: string };

/**
 * Creates the context of a caller's request. `signal` cancels its Mattermost calls. Pass it for reads only: a started
 * write runs to its end.
 */
export async function createCallerContext(
  chat: Chat,
  pat: string,
  signal?: AbortEvent,
): Promise<CallerContext> {
  const opening = chat.requireStore();
  if (opening !== undefined) await opening;
  return { chat, caller: chat.mattermost.as(pat, signal), patHash: hashPat(pat) };
}

/** Returns the caller's user id, or undefined if only Mattermost knows it. */
export async function findOwnId({ chat, patHash }: CallerContext): Promise<string | undefined> {
  return chat.caches.userIds.get(patHash) ?? (await findPatOwner(chat, patHash))?.id;
}

/**
 * Returns the caller's user id, asking Mattermost at most once. Turns and quotas are counted per user,
 * because one person may have many sign-ins with one PAT each.
 * @throws CodedError `unauthorized`
 */
export async function readOwnId(context: CallerContext): Promise<string> {
  return (await findOwnId(context)) ?? (await askOwnId(context));
}

async function askOwnId({ chat, caller, patHash }: CallerContext): Promise<string> {
  const { id } = await readOwnUser(caller);
  chat.caches.userIds.set(patHash, id);
  return id;
}

/**
 * Verifies the PAT for requests that otherwise make no Mattermost call. It asks Mattermost once a minute.
 * @throws CodedError `unauthorized`
 */
export async function requireGoodPat(context: CallerContext): Promise<void> {
  const { goodPats } = context.chat.caches;
  if (goodPats.get(context.patHash)) return;
  await askOwnId(context);
  goodPats.set(context.patHash, true);
}
