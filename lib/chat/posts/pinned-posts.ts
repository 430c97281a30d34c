import type { PinnedPosts } from "../../contract/answers.ts";
import { MOST_PINNED } from "../../contract/limits.ts";
import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import { listPinned, pinPost } from "../../mattermost/posts.ts";
import { readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { rememberPosts, rememberUsers } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { projectUsers } from "../people/search-users.ts";
import { projectPost, requirePost, rethrowForPost, usersOf } from "./post.ts";

/** Returns the pinned posts of a channel, in two Mattermost calls. */
export async function readPinned({ caller, chat }: CallerContext, channelId: string): Promise<PinnedPosts> {
  const { posts } = await listPinned(caller, channelId);
  if (Object.keys(posts).length === 0) await believeEmpty(chat);
  // Mattermost can move posts of a deleted channel, and a list can contain posts that were deleted meanwhile.
  const pinned = Object.values(posts).filter((post) => post.channel_id === channelId && post.delete_at === 0);
  const listed = pinned.sort((a, b) => b.create_at - a.create_at).slice(0, MOST_PINNED);
  rememberPosts(chat.caches, listed);
  const shown = await readUsers(caller, [...new Set(listed.flatMap(usersOf))]);
  rememberUsers(chat.caches, shown);
  const users = projectUsers(shown);
  return { posts: listed.map((post) => projectPost(post, users)), users, total: pinned.length };
}

/** Pins or unpins a post for everyone. @throws CodedError `not_found`, `conflict` if the channel is archived */
export async function setPinned(
  context: CallerContext,
  channelId: string,
  postId: string,
  isPinned: boolean,
): Promise<void> {
  const read = await requirePost(context, channelId, postId);
  try {
    await pinPost(context.caller, postId, isPinned);
  } catch (error) {
    if (isRefusal(error, "api.post.patch_post.can_not_update_post_in_deleted.error"))
      throw new CodedError("conflict", { message: "This channel is archived.", cause: error });
    if (isRefusal(error, "api.post.update_post.system_message.app_error"))
      throw new CodedError("forbidden", {
        message: "Messages from the chat server itself can't be pinned.",
        cause: error,
      });
    await rethrowForPost(context, postId, error, read);
  }
}
