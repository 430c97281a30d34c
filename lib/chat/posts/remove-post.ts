import { hasCode, nullOn } from "../../errors.ts";
import { type CommunityRole, isCommunityName, readCommunityRole } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import { type Channel, readChannel } from "../../mattermost/channels.ts";
import { deletePost, type Post } from "../../mattermost/posts.ts";
import { writeAudit } from "../access/identities.ts";
import { type ChannelBasics, type Gateway, rememberChannels } from "../session/gateway.ts";
import { findOwnId, readOwnId, type Session } from "../session/session.ts";
import { requirePost, rethrowForPost } from "./post.ts";

/**
 * Deletes a post: the author by their own right, a moderator of the channel's community by the service's.
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
    // Tried as the caller first: it also proves that the PAT is valid now.
    await deletePost(session.caller, postId);
  } catch (error) {
    if (!hasCode(error, "forbidden")) throw error;
    const moderated = await findModerated(session, channelId);
    if (!moderated) return rethrowForPost(session, postId, error, read);
    await removeAsModerator(session, { ...moderated, ...act }, read);
  }
}

/** True only for a post that was read with the caller's PAT just now, which proved it valid. */
async function isSomebodyElses(session: Session, read: Post | null): Promise<boolean> {
  if (read === null) return false;
  const ownId = await findOwnId(session);
  return ownId !== undefined && ownId !== read.user_id;
}

async function findModerated(session: Session, channelId: string) {
  const { gateway } = session;
  const channel = await readBasics(session, channelId);
  const community = channel && communityOf(channel, gateway.teamId);
  if (community === null) return null;
  const account = await findModerator(gateway, community, await readOwnId(session));
  return account === null ? null : { community, account };
}

/** Null for a channel that the caller can't see. */
async function readBasics({ caller, gateway }: Session, channelId: string): Promise<ChannelBasics | null> {
  const known = gateway.caches.channels.get(channelId);
  if (known) return known;
  const channel = await nullOn(readChannel(caller, channelId), "forbidden");
  if (channel) rememberChannels(gateway.caches, [channel]);
  return channel;
}

async function removeAsModerator(
  session: Session,
  act: { community: string; account: string; channelId: string; postId: string; requestId: string },
  read: Post | null,
): Promise<void> {
  try {
    await deletePost(session.gateway.admin, act.postId);
    writeAudit({ action: "delete_post", ...act, outcome: "done" });
  } catch (error) {
    writeAudit({ action: "delete_post", ...act, outcome: "failed" });
    return rethrowForPost(session, act.postId, error, read);
  }
}

const ROLE_TIMEOUT_MS = 3000;

/** The community whose channel it is, null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/**
 * The account by whose role the user may delete anybody's posts in the community's channel, null for users who may not. It
 * is the account that the user is bound to, whatever the user is called, and its role by the word of two chain nodes
 * where two are configured; a dispute among them, and chain or store being away, means no.
 */
export async function findModerator(
  gateway: Gateway,
  community: string,
  userId: string,
): Promise<string | null> {
  const account = await gateway.identities.accountOf(userId).catch((error: unknown) => {
    log().warn({ community, cause: (error as Error).name }, "account of a user unknown: no rights");
    return null;
  });
  if (account === null) return null;
  const role = await readRole(gateway, community, account);
  return role === "owner" || role === "admin" || role === "mod" ? account : null;
}

async function readRole(gateway: Gateway, community: string, account: string): Promise<CommunityRole> {
  const { roles } = gateway.caches;
  const key = `${community}/${account}`;
  const known = roles.get(key);
  if (known !== undefined) return known;
  try {
    const signal = AbortSignal.timeout(ROLE_TIMEOUT_MS);
    const [role] = await gateway.hive.agree((node) => readCommunityRole(node, community, account), {
      signal,
    });
    roles.set(key, role);
    return role;
  } catch (error) {
    log().warn({ community, cause: (error as Error).name }, "community role unknown: no rights");
    return "guest";
  }
}
