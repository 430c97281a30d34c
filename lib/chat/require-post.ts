import { CodedError } from "../errors.ts";
import { readPost } from "../mattermost/posts.ts";
import { rememberPosts } from "./remember.ts";
import type { Session } from "./session.ts";

/** Checks that the post is in the channel. @throws CodedError `not_found`, also for a post that the caller can't see */
export async function requirePost(session: Session, channelId: string, postId: string): Promise<void> {
  if ((await channelOf(session, postId)) !== channelId) throw new CodedError("not_found");
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
