import { hasCode, nullOn } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { deletePost, type Post } from "../../mattermost/posts.ts";
import { writeAudit } from "../access/identities.ts";
import { type ChannelBasics, rememberChannels } from "../session/caches.ts";
import { findOwnId, readOwnId, type Session } from "../session/session.ts";
import { communityOf, findModerator } from "./moderators.ts";
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
