import type { MattermostSession } from "../../mattermost/mattermost.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import type { Gateway } from "./gateway.ts";
import { findPatOwner, hashPat } from "./pat-owners.ts";
import { watchTokens } from "./token-watch.ts";

/** One caller's request: the gateway, and Mattermost as that caller sees it. */
export type Session = { gateway: Gateway; caller: MattermostSession; patHash: string };

/** Begins a caller's request. `signal` cancels its Mattermost calls: for reads alone, as a write begun is carried out. */
export async function openSession(gateway: Gateway, pat: string, signal?: AbortSignal): Promise<Session> {
  await gateway.requireStore();
  const patHash = hashPat(pat);
  watchTokens(gateway).use(patHash);
  return { gateway, caller: gateway.mattermost.as(pat, signal), patHash };
}

/** The caller's user id, undefined where only Mattermost can tell. */
export async function findOwnId({ gateway, patHash }: Session): Promise<string | undefined> {
  return gateway.caches.userIds.get(patHash) ?? (await findPatOwner(gateway, patHash))?.id;
}

/** The caller's user id, asked of Mattermost once at most. @throws CodedError `unauthorized` */
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

/** Forgets what the owner of a PAT chose at Mattermost, which is read again when it is next asked for. */
export function forgetChoices({ caches }: Pick<Gateway, "caches">, pat: string): void {
  caches.collapsesThreads.delete(hashPat(pat));
}
