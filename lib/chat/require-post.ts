import { CodedError } from "../errors.ts";
import { isRefusal } from "../mattermost/backend-error.ts";
import { readPost } from "../mattermost/posts.ts";
import { rememberPosts } from "./remember.ts";
import type { Session } from "./session.ts";

/** Checks that the post is in the channel. @throws CodedError `not_found`, also for a post that the caller can't see */
export async function requirePost(session: Session, channelId: string, postId: string): Promise<void> {
  if ((await channelOf(session, postId)) !== channelId) throw new CodedError("not_found");
}

/**
 * Rejects with what the backend refused an act on a post with, and with `not_found` where it only said that the right is
 * missing because the post is gone.
 */
export async function refuseForPost(session: Session, postId: string, refusal: unknown): Promise<never> {
  if (isRefusal(refusal, "api.context.permissions.app_error")) {
    session.gateway.known.channelsOfPosts.delete(postId);
    await channelOf(session, postId);
  }
  throw refusal;
}

async function channelOf({ caller, gateway }: Session, postId: string): Promise<string> {
  const known = gateway.known.channelsOfPosts.get(postId);
  if (known !== undefined) return known;
  try {
    const post = await readPost(caller, postId);
    rememberPosts(gateway.known, [post]);
    return post.channel_id;
  } catch (error) {
    if (error instanceof CodedError && error.code === "forbidden")
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}
