import type { Caller } from "../../mattermost/backend.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { requireStore } from "../../services/shared-store.ts";
import { chatGateway, type Gateway } from "./gateway.ts";
import { findPatOwner, hashPat } from "./pat-owners.ts";

/** One caller's request: the gateway, and the backend as that caller sees it. */
export type Session = { gateway: Gateway; caller: Caller; patHash: string };

/** Begins a caller's request. `signal` cancels its backend calls: for reads alone, as a write begun is carried out. */
export async function openSession(pat: string, signal?: AbortSignal): Promise<Session> {
  const gateway = chatGateway();
  await requireStore();
  return { gateway, caller: gateway.backend.as(pat, signal), patHash: hashPat(pat) };
}

/** The caller's user id, undefined where only the backend can tell. */
export async function findOwnId({ gateway, patHash }: Session): Promise<string | undefined> {
  return gateway.known.userIds.get(patHash) ?? (await findPatOwner(gateway, patHash))?.id;
}

/** The caller's user id, asked of the backend once at most. @throws CodedError `unauthorized` */
export async function readOwnId(session: Session): Promise<string> {
  return (await findOwnId(session)) ?? (await askOwnId(session));
}

async function askOwnId({ gateway, caller, patHash }: Session): Promise<string> {
  const { id } = await readOwnUser(caller);
  gateway.known.userIds.set(patHash, id);
  return id;
}
