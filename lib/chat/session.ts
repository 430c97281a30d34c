import { createHash } from "node:crypto";
import type { Caller } from "../mattermost/backend.ts";
import { readOwnUser } from "../mattermost/users.ts";
import { chatGateway, type Gateway } from "./gateway.ts";

/** One caller's request: the gateway, and the backend as that caller sees it. */
export type Session = { gateway: Gateway; caller: Caller; patHash: string };

/** Begins a caller's request. `signal` cancels its backend calls: for reads alone, as a write begun is carried out. */
export async function openSession(pat: string, signal?: AbortSignal): Promise<Session> {
  const gateway = await chatGateway();
  return { gateway, caller: gateway.backend.as(pat, signal), patHash: hashOf(pat) };
}

/** Notes whose PAT it is, as just learned from the backend. */
export function rememberOwnUser(gateway: Gateway, pat: string, user: { id: string; username: string }): void {
  const hash = hashOf(pat);
  gateway.known.userIds.set(hash, user.id);
  gateway.known.usernames.set(hash, user.username);
}

/** The caller's user id, asked of the backend once. @throws CodedError `unauthorized` */
export async function readOwnId(session: Session): Promise<string> {
  return session.gateway.known.userIds.get(session.patHash) ?? (await askOwn(session)).id;
}

/** The caller's id and account name, at most a minute old. @throws CodedError `unauthorized` */
export async function readOwn(session: Session): Promise<{ id: string; username: string }> {
  const { userIds, usernames } = session.gateway.known;
  const id = userIds.get(session.patHash);
  const username = usernames.get(session.patHash);
  return id !== undefined && username !== undefined ? { id, username } : askOwn(session);
}

async function askOwn({ gateway, caller, patHash }: Session) {
  const user = await readOwnUser(caller);
  gateway.known.userIds.set(patHash, user.id);
  gateway.known.usernames.set(patHash, user.username);
  return user;
}

function hashOf(pat: string): string {
  return createHash("sha256").update(pat).digest("base64url");
}
