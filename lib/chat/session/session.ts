import { createHash } from "node:crypto";
import { z } from "zod";
import type { MattermostSession } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Gateway, PatOwner } from "./gateway.ts";

/** One caller's request: the gateway, and Mattermost as that caller sees it. */
export type Session = { gateway: Gateway; caller: MattermostSession; patHash: string };

/** Begins a caller's request. `signal` cancels its Mattermost calls: for reads alone, as a write begun is carried out. */
export async function openSession(gateway: Gateway, pat: string, signal?: AbortSignal): Promise<Session> {
  await gateway.requireStore();
  return { gateway, caller: gateway.mattermost.as(pat, signal), patHash: hashPat(pat) };
}

/** The caller's user id, undefined where only Mattermost can tell. */
export async function findOwnId({ gateway, patHash }: Session): Promise<string | undefined> {
  return gateway.caches.userIds.get(patHash) ?? (await findPatOwner(gateway, patHash))?.id;
}

/**
 * The caller's user id, asked of Mattermost once at most. Turns and quotas count by it: one person may have many sign-ins,
 * each with a PAT of its own.
 * @throws CodedError `unauthorized`
 */
export async function readOwnId(session: Session): Promise<string> {
  return (await findOwnId(session)) ?? (await askOwnId(session));
}

async function askOwnId({ gateway, caller, patHash }: Session): Promise<string> {
  const { id } = await readOwnUser(caller);
  gateway.caches.userIds.set(patHash, id);
  return id;
}

/**
 * Ensures that the PAT is good where nothing else of a request asks Mattermost, which is asked once a minute.
 * @throws CodedError `unauthorized`
 */
export async function requireGoodPat(session: Session): Promise<void> {
  const { goodPats } = session.gateway.caches;
  if (goodPats.get(session.patHash)) return;
  await askOwnId(session);
  goodPats.set(session.patHash, true);
}

const StoredOwner: z.ZodType<PatOwner> = z.object({ id: z.string(), username: z.string() });

/** A day longer than the cookie lives. */
const KEPT_FOR_SECONDS = 31 * 86_400;

const keyOf = (patHash: string) => `owner:${patHash}`;

/** What a PAT is called where it must not be kept itself. */
function hashPat(pat: string): string {
  return createHash("sha256").update(pat).digest("base64url");
}

/** What a sign-in is called among processes, by its PAT. */
export const signInOf = (pat: string) => `sign-in.${hashPat(pat)}`;

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
async function findPatOwner({ caches, store }: Gateway, patHash: string): Promise<PatOwner | undefined> {
  const present = caches.owners.get(patHash);
  if (present !== undefined) return present;
  // A store that is away costs a Mattermost call, not the request.
  const text = await store.get(keyOf(patHash)).catch(() => null);
  const owner = text === null ? undefined : StoredOwner.parse(JSON.parse(text));
  if (owner !== undefined) caches.owners.set(patHash, owner);
  return owner;
}

/** Forgets what the owner of a PAT chose at Mattermost, which is read again when it is next asked for. */
export function forgetChoices({ caches }: Pick<Gateway, "caches">, pat: string): void {
  caches.collapsesThreads.delete(hashPat(pat));
}

/** Forgets the owner of a PAT that is worthless now. */
export async function forgetPatOwner({ caches, store }: Gateway, pat: string): Promise<void> {
  const patHash = hashPat(pat);
  caches.owners.delete(patHash);
  caches.goodPats.delete(patHash);
  await store.delete(keyOf(patHash));
}
