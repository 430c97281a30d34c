import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { type Post, readPost } from "../../mattermost/posts.ts";
import { rememberPosts } from "../session/caches.ts";
import type { Session } from "../session/session.ts";

/**
 * Checks that the post is in the channel; gives the post where it had to be read for that, null where its channel was
 * known.
 * @throws CodedError `not_found`, also for a post that the caller can't see
 */
export async function requirePost(session: Session, channelId: string, postId: string): Promise<Post | null> {
  const known = session.gateway.caches.channelsOfPosts.get(postId);
  const post = known === undefined ? await readVisiblePost(session, postId) : null;
  if ((post?.channel_id ?? known) !== channelId) throw new CodedError("not_found");
  return post;
}

/**
 * Rejects with what the backend refused an act on a post with, and with `not_found` where it only said that the right is
 * missing because the post is gone. `read` is what `requirePost` gave: a post that was just there is not asked for again.
 */
export async function refuseForPost(
  session: Session,
  postId: string,
  refusal: unknown,
  read: Post | null,
): Promise<never> {
  if (read === null && isRefusal(refusal, "api.context.permissions.app_error")) {
    session.gateway.caches.channelsOfPosts.delete(postId);
    await readVisiblePost(session, postId);
  }
  throw refusal;
}

/** Reads a post as the caller. @throws CodedError `not_found`, also for a post that the caller can't see */
export async function readVisiblePost({ caller, gateway }: Session, postId: string): Promise<Post> {
  try {
    const post = await readPost(caller, postId);
    rememberPosts(gateway.caches, [post]);
    return post;
  } catch (error) {
    if (error instanceof CodedError && error.code === "forbidden")
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}
