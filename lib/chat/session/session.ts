import { createHash } from "node:crypto";
import { z } from "zod";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { PatOwner } from "./caches.ts";
import type { Chat } from "./chat.ts";

/** One caller's request: the chat, and access to Mattermost as that caller. */
export type Session = { chat: Chat; caller: MattermostCaller; patHash: string };

/**
 * Opens a caller's request. `signal` cancels its Mattermost calls. Pass it for reads only: a started write runs to its
 * end.
 */
export async function openSession(chat: Chat, pat: string, signal?: AbortSignal): Promise<Session> {
  await chat.requireStore();
  return { chat, caller: chat.mattermost.as(pat, signal), patHash: hashPat(pat) };
}

/** Returns the caller's user id, or undefined if only Mattermost can tell. */
export async function findOwnId({ chat, patHash }: Session): Promise<string | undefined> {
  return chat.caches.userIds.get(patHash) ?? (await findPatOwner(chat, patHash))?.id;
}

/**
 * Returns the caller's user id, asking Mattermost once at most. Turns and quotas count by user, because one person may
 * have many sign-ins with one PAT each.
 * @throws CodedError `unauthorized`
 */
export async function readOwnId(session: Session): Promise<string> {
  return (await findOwnId(session)) ?? (await askOwnId(session));
}

async function askOwnId({ chat, caller, patHash }: Session): Promise<string> {
  const { id } = await readOwnUser(caller);
  chat.caches.userIds.set(patHash, id);
  return id;
}

/**
 * Verifies the PAT for requests that otherwise make no Mattermost call. It asks Mattermost once a minute.
 * @throws CodedError `unauthorized`
 */
export async function requireGoodPat(session: Session): Promise<void> {
  const { goodPats } = session.chat.caches;
  if (goodPats.get(session.patHash)) return;
  await askOwnId(session);
  goodPats.set(session.patHash, true);
}

const StoredOwner: z.ZodType<PatOwner> = z.object({ id: z.string(), username: z.string() });

/** A day longer than the cookie's lifetime. */
const KEPT_FOR_SECONDS = 31 * 86_400;

const keyOf = (patHash: string) => `owner:${patHash}`;

/** Names a PAT in places where the PAT itself must not be stored. */
function hashPat(pat: string): string {
  return createHash("sha256").update(pat).digest("base64url");
}

/** Returns the name that processes use for a sign-in, derived from its PAT. */
export const signInOf = (pat: string) => `sign-in.${hashPat(pat)}`;

/** Stores the owner of a PAT that bootstrap issues, so that requests need not ask Mattermost, even after a restart. */
export async function rememberPatOwner({ caches, store }: Chat, pat: string, owner: PatOwner): Promise<void> {
  const patHash = hashPat(pat);
  if (caches.owners.get(patHash) !== undefined) return;
  await store.set(keyOf(patHash), JSON.stringify(owner), KEPT_FOR_SECONDS);
  caches.owners.set(patHash, owner);
}

/** Returns the owner of a PAT that bootstrap issued, or undefined for other PATs. */
async function findPatOwner({ caches, store }: Chat, patHash: string): Promise<PatOwner | undefined> {
  const present = caches.owners.get(patHash);
  if (present !== undefined) return present;
  // An unreachable store costs a Mattermost call, not the request.
  const text = await store.get(keyOf(patHash)).catch(() => null);
  const owner = text === null ? undefined : StoredOwner.parse(JSON.parse(text));
  if (owner !== undefined) caches.owners.set(patHash, owner);
  return owner;
}

/** Drops the cached Mattermost choices of a PAT's owner; the next use reads them again. */
export function forgetChoices({ caches }: Pick<Chat, "caches">, pat: string): void {
  caches.collapsesThreads.delete(hashPat(pat));
}

/** Forgets the owner of a PAT that is no longer valid. */
export async function forgetPatOwner({ caches, store }: Chat, pat: string): Promise<void> {
  const patHash = hashPat(pat);
  caches.owners.delete(patHash);
  caches.goodPats.delete(patHash);
  await store.delete(keyOf(patHash));
}
