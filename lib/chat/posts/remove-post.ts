import { hasCode, nullOn } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { deletePost, type Post } from "../../mattermost/posts.ts";
import { writeAudit } from "../access/identities.ts";
import { type ChannelBasics, rememberChannels } from "../caller/caches.ts";
import { type CallerContext, findOwnId, readOwnId } from "../caller/caller-context.ts";
import { communityOf, findModerator } from "./moderators.ts";
import { requirePost, rethrowForPost } from "./post.ts";

/**
 * Deletes a post. Authors use their own rights; moderators of the channel's community use the service's.
 * @throws CodedError `forbidden`, `not_found`
 */
export async function removePost(
  context: CallerContext,
  channelId: string,
  postId: string,
  requestId: string,
): Promise<void> {
  const act = { channelId, postId, requestId };
  const read = await requirePost(context, channelId, postId);
  if (await isSomebodyElses(context, read)) {
    const moderated = await findModerated(context, channelId);
    return moderated
      ? removeAsModerator(context, { ...moderated, ...act }, read)
      : deletePost(context.caller, postId);
  }
  try {
    // Tries as the caller first, which also verifies the PAT.
    await deletePost(context.caller, postId);
  } catch (error) {
    if (!hasCode(error, "forbidden")) throw error;
    const moderated = await findModerated(context, channelId);
    if (!moderated) return rethrowForPost(context, postId, error, read);
    await removeAsModerator(context, { ...moderated, ...act }, read);
  }
}

/**
 * Returns whether the post belongs to another user. True only for a post that was just read with the caller's
 * PAT, which verified the PAT.
 */
async function isSomebodyElses(context: CallerContext, read: Post | null): Promise<boolean> {
  if (read === null) return false;
  const ownId = await findOwnId(context);
  return ownId !== undefined && ownId !== read.user_id;
}

async function findModerated(context: CallerContext, channelId: string) {
  const { chat } = context;
  const channel = await readBasics(context, channelId);
  const community = channel && communityOf(channel, chat.teamId);
  if (community === null) return null;
  const account = await findModerator(chat, community, await readOwnId(context));
  return account === null ? null : { community, account };
}

/** Returns null for a channel that the caller cannot see. */
async function readBasics({ caller, chat }: CallerContext, channelId: string): Promise<ChannelBasics | null> {
  const known = chat.caches.channels.get(channelId);
  if (known) return known;
  const channel = await nullOn(readChannel(caller, channelId), "forbidden");
  if (channel) rememberChannels(chat.caches, [channel]);
  return channel;
}

async function removeAsModerator(
  context: CallerContext,
  act: { community: string; account: string; channelId: string; postId: string; requestId: string },
  read: Post | null,
): Promise<void> {
  try {
    await deletePost(context.chat.admin, act.postId);
    writeAudit({ action: "delete_post", ...act, outcome: "done" });
  } catch (error) {
    writeAudit({ action: "delete_post", ...act, outcome: "failed" });
    return rethrowForPost(context, act.postId, error, read);
  }
}
