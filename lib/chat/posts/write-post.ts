import { setTimeout as sleep } from "node:timers/promises";
import { createSingleFlight } from "../../async/concurrency.ts";
import type { OnePost } from "../../contract/answers.ts";
import { isBlankPost, type NewPost } from "../../contract/requests.ts";
import { CodedError, hasCode } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import { createPost, editPost, type Post, readPost } from "../../mattermost/posts.ts";
import { addReaction, removeReaction } from "../../mattermost/reactions.ts";
import { rememberPosts } from "../caller/caches.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { requireAttachable } from "./attachable-files.ts";
import { projectPost, requirePost, rethrowForPost } from "./post.ts";

/** Doubling pauses, which add up to the maximum duration of a call to Mattermost. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1600, 3200, 3200];

/**
 * Posts a message. A recently used `pendingPostId` returns the post that it created then.
 * @throws CodedError `not_found` if `rootId` is not a root post of this channel, `conflict` if the channel is archived,
 * `invalid_request` for another user's `pendingPostId`, or if a post without a text has no file to attach
 */
export async function writePost(context: CallerContext, channelId: string, given: NewPost): Promise<OnePost> {
  const { message, type, rootId, pendingPostId, fileIds = [] } = given;
  const { caller, chat, patHash } = context;
  if (pendingPostId && !pendingPostId.startsWith(`${await readOwnId(context)}:`)) {
    const issues = [{ path: "pendingPostId", message: "must begin with your own user id" }];
    throw new CodedError("invalid_request", { issues });
  }
  const draft = {
    channel_id: channelId,
    message,
    ...(type && { type }),
    ...(rootId && { root_id: rootId }),
    ...(pendingPostId && { pending_post_id: pendingPostId }),
    ...(fileIds.length > 0 && { file_ids: fileIds }),
  };
  const create = async () => {
    const existing = isBlankPost(given) ? await requireAttachable(context, channelId, given) : null;
    if (existing) return existing;
    return createPost(caller, draft).catch(async (error: unknown) => {
      // Mattermost also answers "forbidden" for a channel that does not exist; only reading the channel tells
      // the two apart.
      if (hasCode(error, "forbidden")) await readChannel(caller, channelId);
      return refuse(error);
    });
  };
  const createOnce = async (id: string) => ({
    ...(await askUntilMade(context, create)),
    pending_post_id: id,
  });
  const share = chat.own("posts-under-way", () => createSingleFlight<Post>());
  const post = await (pendingPostId
    ? share(`${patHash}/${channelId}/${pendingPostId}`, () => createOnce(pendingPostId))
    : create());
  rememberPosts(chat.caches, [post]);
  return { post: projectPost(post) };
}

/**
 * Returns the post of a `pendingPostId`, whether this call or another created it. While another gateway's
 * call is in progress, Mattermost fails this call, and on a retry returns the post without its files.
 */
async function askUntilMade({ caller }: CallerContext, create: () => Promise<Post>): Promise<Post> {
  const pauses = PAUSES_MS.values();
  for (;;) {
    try {
      const post = await create();
      return post.metadata ? post : await readPost(caller, post.id);
    } catch (error) {
      const pause = pauses.next();
      if (pause.done || !isRefusal(error, "api.post.deduplicate_create_post.pending")) throw error;
      await sleep(pause.value);
    }
  }
}

/** Edits a message. @throws CodedError `forbidden` if it belongs to another user, `not_found` if it was deleted */
export async function changePost(
  context: CallerContext,
  channelId: string,
  postId: string,
  message: string,
): Promise<OnePost> {
  const read = await requirePost(context, channelId, postId);
  const post = await editPost(context.caller, postId, message)
    .catch((error: unknown) => rethrowForPost(context, postId, error, read))
    .catch(refuse);
  return { post: projectPost(post) };
}

function refuse(error: unknown): never {
  if (
    isRefusal(
      error,
      "api.post.create_post.root_id.app_error",
      "api.post.create_post.channel_root_id.app_error",
    )
  )
    throw new CodedError("not_found", { message: "There is no such root message here.", cause: error });
  if (isRefusal(error, "api.post.create_post.can_not_post_to_deleted.error"))
    throw new CodedError("conflict", { message: "This channel is archived.", cause: error });
  if (isRefusal(error, "model.post.is_valid.msg.app_error", "model.post.is_valid.message_length.app_error")) {
    const issues = [{ path: "message", message: "is longer than the chat server accepts" }];
    throw new CodedError("invalid_request", { issues, cause: error });
  }
  if (isRefusal(error, "api.post.update_post.permissions_time_limit.app_error"))
    throw new CodedError("forbidden", { message: "It is too late to change this message.", cause: error });
  throw error;
}

/** Adds or removes the caller's reaction. @throws CodedError `not_found`, `invalid_request` for an unknown emoji */
export async function react(
  context: CallerContext,
  channelId: string,
  postId: string,
  { emoji, add }: { emoji: string; add: boolean },
): Promise<void> {
  const { caller } = context;
  const [ownId, read] = await Promise.all([
    add ? readOwnId(context) : "",
    requirePost(context, channelId, postId),
  ]);
  try {
    await (add ? addReaction(caller, ownId, postId, emoji) : removeReaction(caller, postId, emoji));
  } catch (error) {
    if (isRefusal(error, "app.emoji.get_by_name.no_result")) {
      const issues = [{ path: "emoji", message: "is no emoji of the chat server" }];
      throw new CodedError("invalid_request", { issues, cause: error });
    }
    if (isRefusal(error, "app.reaction.save.save.too_many_reactions"))
      throw new CodedError("conflict", {
        message: "This message has too many kinds of reactions.",
        cause: error,
      });
    return rethrowForPost(context, postId, error, read);
  }
}
