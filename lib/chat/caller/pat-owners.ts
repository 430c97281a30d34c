import { z } from "zod";
import { nameOfSecret } from "../../secret.ts";
import type { PatOwner } from "./caches.ts";
import type { Chat } from "./chat.ts";

const StoredOwner: z.ZodType<PatOwner> = z.object({ id: z.string(), username: z.string() });

/** A day longer than the cookie's lifetime. */
const KEPT_FOR_SECONDS = 31 * 86_400;

const keyOf = (patHash: string) => `owner:${patHash}`;

/** Returns a name for a PAT, for places where the PAT itself must not be stored. */
export function hashPat(pat: string): string {
  return nameOfSecret(pat);
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
export async function findPatOwner({ caches, store }: Chat, patHash: string): Promise<PatOwner | undefined> {
  const present = caches.owners.get(patHash);
  if (present !== undefined) return present;
  // An unreachable store costs a Mattermost call, not the request.
  const text = await store.get(keyOf(patHash)).catch(() => null);
  const owner = text === null ? undefined : StoredOwner.parse(JSON.parse(text));
  if (owner !== undefined) caches.owners.set(patHash, owner);
  return owner;
}

/** Drops the cached choices that a PAT's owner made in Mattermost; the next use reads them again. */
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
