import { createHash } from "node:crypto";
import { z } from "zod";
import type { Gateway, PatOwner } from "./gateway.ts";

const StoredOwner = z.object({
  id: z.string(),
  username: z.string(),
  key: z.string().nullable().default(null),
});

/** A day longer than the cookie lives. */
const KEPT_FOR_SECONDS = 31 * 86_400;

const keyOf = (patHash: string) => `owner:${patHash}`;

/** What a PAT is called where it must not be kept itself. */
export function hashPat(pat: string): string {
  return createHash("sha256").update(pat).digest("base64url");
}

/** Notes to whom a bootstrap gives the PAT, so that no request has to ask Mattermost, after a restart neither. */
export async function rememberPatOwner(
  { caches, store }: Gateway,
  pat: string,
  owner: PatOwner,
): Promise<void> {
  const patHash = hashPat(pat);
  if (caches.owners.get(patHash) !== undefined) return;
  await store.set(keyOf(patHash), JSON.stringify(owner), KEPT_FOR_SECONDS);
  caches.owners.set(patHash, owner);
}

/** The owner of a PAT that a bootstrap gave out; undefined for other PATs. */
export async function findPatOwner(
  { caches, store }: Pick<Gateway, "caches" | "store">,
  patHash: string,
): Promise<PatOwner | undefined> {
  const present = caches.owners.get(patHash);
  if (present !== undefined) return present;
  // A store that is away costs a Mattermost call, not the request.
  const text = await store.get(keyOf(patHash)).catch(() => null);
  const owner = text === null ? undefined : StoredOwner.parse(JSON.parse(text));
  if (owner !== undefined) caches.owners.set(patHash, owner);
  return owner;
}

/** Forgets the owner of a PAT that is worthless now. */
export async function forgetPatOwner(
  { caches, store }: Pick<Gateway, "caches" | "store">,
  patHash: string,
): Promise<void> {
  caches.owners.delete(patHash);
  caches.goodPats.delete(patHash);
  await store.delete(keyOf(patHash));
}
