import { hasCode, nullOn } from "../../errors.ts";
import { type CommunityRole, isCommunityName, readCommunityRole } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import { type Channel, readChannel } from "../../mattermost/channels.ts";
import { deletePost, type Post } from "../../mattermost/posts.ts";
import { writeAudit } from "../access/identities.ts";
import { type ChannelBasics, rememberChannels } from "../session/caches.ts";
import type { Chat } from "../session/chat.ts";
import { findOwnId, readOwnId, type Session } from "../session/session.ts";
import { requirePost, rethrowForPost } from "./post.ts";

/**
 * Deletes a post. Authors use their own right; moderators of the channel's community use the service's.
 * @throws CodedError `forbidden`, `not_found`
 */
export async function removePost(
  session: Session,
  channelId: string,
  postId: string,
  requestId: string,
): Promise<void> {
  const act = { channelId, postId, requestId };
  const read = await requirePost(session, channelId, postId);
  if (await isSomebodyElses(session, read)) {
    const moderated = await findModerated(session, channelId);
    return moderated
      ? removeAsModerator(session, { ...moderated, ...act }, read)
      : deletePost(session.caller, postId);
  }
  try {
    // Tried as the caller first, which also verifies the PAT.
    await deletePost(session.caller, postId);
  } catch (error) {
    if (!hasCode(error, "forbidden")) throw error;
    const moderated = await findModerated(session, channelId);
    if (!moderated) return rethrowForPost(session, postId, error, read);
    await removeAsModerator(session, { ...moderated, ...act }, read);
  }
}

/** Returns true only for a post that was just read with the caller's PAT, which verified the PAT. */
async function isSomebodyElses(session: Session, read: Post | null): Promise<boolean> {
  if (read === null) return false;
  const ownId = await findOwnId(session);
  return ownId !== undefined && ownId !== read.user_id;
}

async function findModerated(session: Session, channelId: string) {
  const { chat } = session;
  const channel = await readBasics(session, channelId);
  const community = channel && communityOf(channel, chat.teamId);
  if (community === null) return null;
  const account = await findModerator(chat, community, await readOwnId(session));
  return account === null ? null : { community, account };
}

/** Returns null for a channel that the caller cannot see. */
async function readBasics({ caller, chat }: Session, channelId: string): Promise<ChannelBasics | null> {
  const known = chat.caches.channels.get(channelId);
  if (known) return known;
  const channel = await nullOn(readChannel(caller, channelId), "forbidden");
  if (channel) rememberChannels(chat.caches, [channel]);
  return channel;
}

async function removeAsModerator(
  session: Session,
  act: { community: string; account: string; channelId: string; postId: string; requestId: string },
  read: Post | null,
): Promise<void> {
  try {
    await deletePost(session.chat.admin, act.postId);
    writeAudit({ action: "delete_post", ...act, outcome: "done" });
  } catch (error) {
    writeAudit({ action: "delete_post", ...act, outcome: "failed" });
    return rethrowForPost(session, act.postId, error, read);
  }
}

const ROLE_TIMEOUT_MS = 3000;

/** Returns the community of a channel, or null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/**
 * Returns the account whose role allows the user to delete any post in the community's channel, or null. It is the
 * account bound to the user, whatever the username. Two chain nodes must agree on its role if two are configured. If
 * they disagree, or if chain or store are unreachable, the answer is null.
 */
export async function findModerator(chat: Chat, community: string, userId: string): Promise<string | null> {
  const account = await chat.identities.accountOf(userId).catch((error: unknown) => {
    log().warn({ community, cause: (error as Error).name }, "account of a user unknown: no rights");
    return null;
  });
  if (account === null) return null;
  const role = await readRole(chat, community, account);
  return role === "owner" || role === "admin" || role === "mod" ? account : null;
}

async function readRole(chat: Chat, community: string, account: string): Promise<CommunityRole> {
  const { roles } = chat.caches;
  const key = `${community}/${account}`;
  const known = roles.get(key);
  if (known !== undefined) return known;
  try {
    const signal = AbortSignal.timeout(ROLE_TIMEOUT_MS);
    const [role] = await chat.hive.agree((node) => readCommunityRole(node, community, account), {
      signal,
    });
    roles.set(key, role);
    return role;
  } catch (error) {
    log().warn({ community, cause: (error as Error).name }, "community role unknown: no rights");
    return "guest";
  }
}
