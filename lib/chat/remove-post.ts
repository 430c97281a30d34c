import { CodedError } from "../errors.ts";
import { readChannel } from "../mattermost/channels.ts";
import { deletePost } from "../mattermost/posts.ts";
import { writeAudit } from "./audit-log.ts";
import type { ChannelBasics } from "./known.ts";
import { communityOf, isModerator } from "./moderation.ts";
import { rememberChannels } from "./remember.ts";
import { refuseForPost, requirePost } from "./require-post.ts";
import { readOwn, type Session } from "./session.ts";

/**
 * Deletes a post: the author by his own right, a moderator of the channel's community by the service's.
 * @throws CodedError `forbidden`, `not_found`
 */
export async function removePost(
  session: Session,
  channelId: string,
  postId: string,
  requestId: string,
): Promise<void> {
  await requirePost(session, channelId, postId);
  try {
    // Tried as the caller first: it also proves that the PAT is valid now.
    await deletePost(session.caller, postId);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "forbidden") throw error;
    const moderated = await findModerated(session, channelId);
    if (!moderated) return refuseForPost(session, postId, error);
    await removeAsModerator(session, { ...moderated, channelId, postId, requestId });
  }
}

async function findModerated(session: Session, channelId: string) {
  const { gateway } = session;
  const channel = await readBasics(session, channelId);
  const community = channel && communityOf(channel, gateway.teamId);
  if (community === null) return null;
  const user = await readOwn(session);
  return (await isModerator(gateway, community, user)) ? { community, account: user.username } : null;
}

/** Null for a channel that the caller can't see. */
async function readBasics({ caller, gateway }: Session, channelId: string): Promise<ChannelBasics | null> {
  const known = gateway.known.channels.get(channelId);
  if (known) return known;
  try {
    const channel = await readChannel(caller, channelId);
    rememberChannels(gateway.known, [channel]);
    return channel;
  } catch (error) {
    if (error instanceof CodedError && error.code === "forbidden") return null;
    throw error;
  }
}

async function removeAsModerator(
  session: Session,
  act: { community: string; account: string; channelId: string; postId: string; requestId: string },
): Promise<void> {
  try {
    await deletePost(session.gateway.admin, act.postId);
    writeAudit({ action: "delete_post", ...act, outcome: "done" });
  } catch (error) {
    writeAudit({ action: "delete_post", ...act, outcome: "failed" });
    return refuseForPost(session, act.postId, error);
  }
}
