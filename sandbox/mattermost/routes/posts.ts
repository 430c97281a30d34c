import { z } from "zod";
import { type Context, callerId, param, queryFlag, readBody } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import { isId, isSystemType } from "../id.ts";
import { type ChannelRow, findChannel } from "../model/channels.ts";
import { findPost, findPostByPendingId, type PostRow } from "../model/posts.ts";
import { comeOnline } from "../operations/set-status.ts";
import {
  checkMessage,
  checkProps,
  deletePost,
  editPost,
  type PostChanges,
  storePost,
} from "../operations/store-post.ts";
import { canInChannel, canSeeChannel, demandPermission, isSystemAdmin } from "../permissions.ts";
import {
  cacheable,
  channelOf,
  created,
  demandAtPost,
  ok,
  requirePost,
  requirePostWithRight,
  requireReadablePost,
} from "../require.ts";
import { type Route, route } from "../router.ts";
import { renderBarePost, renderNewPost, renderPost } from "../serializers/post.ts";

const DEDUPLICATION_MS = 30_000;
/** Maximum length of the list as JSON, which is ten ids. */
const MAX_FILE_IDS = 300;

const Props = z.record(z.string(), z.unknown());
const NewPost = z.object({
  channel_id: z.string(),
  message: z.string().optional(),
  root_id: z.string().optional(),
  props: Props.nullish(),
  pending_post_id: z.string().max(128).optional(),
  type: z.string().optional(),
  create_at: z.number().int().min(0).optional(),
  is_pinned: z.boolean().optional(),
  file_ids: z.array(z.string()).nullish(),
});
const PostPatch = z.object({
  message: z.string().nullish(),
  is_pinned: z.boolean().nullish(),
  props: Props.nullish(),
});

/** Finds the post that this request repeats, if it was sent within 30 s of the first. */
function findRepeated(context: Context, pendingId: string): PostRow | undefined {
  const { mattermost } = context;
  if (pendingId === "") return undefined;
  const first = findPostByPendingId(mattermost.db, pendingId, mattermost.clock.now() - DEDUPLICATION_MS);
  if (!first || first.user_id === callerId(context) || !mattermost.isV11) return first;
  // The pending id is not bound to a user. v11 returns another user's post only to its readers.
  const channel = findChannel(mattermost.db, first.channel_id);
  return channel && canSeeChannel(mattermost.db, callerId(context), channel) ? first : undefined;
}

function checkRoot(context: Context, rootId: string, channel: ChannelRow): void {
  const root = isId(rootId) ? findPost(context.mattermost.db, rootId) : undefined;
  const isRoot = root !== undefined && root.delete_at === 0 && root.root_id === "" && root.original_id === "";
  if (!isRoot) refuse("api.post.create_post.root_id.app_error");
  if (root.channel_id !== channel.id) refuse("api.post.create_post.channel_root_id.app_error");
}

function postPost(context: Context): unknown {
  const { mattermost } = context;
  const body = readBody(context, NewPost, "post");
  const caller = callerId(context);
  // The answer does not reveal whether the channel is missing or closed to the caller.
  const channel = findChannel(mattermost.db, body.channel_id);
  demand(channel !== undefined && canInChannel(mattermost.db, caller, channel, "create_post"));
  if (!channel) refuse("api.context.permissions.app_error");
  const type = body.type ?? "";
  if (isSystemType(type)) refuse("api.context.invalid_param.app_error", "post.type");
  const repeated = findRepeated(context, body.pending_post_id ?? "");
  if (repeated) return created(renderBarePost(mattermost, repeated));
  if (channel.delete_at > 0) refuse("api.post.create_post.can_not_post_to_deleted.error");
  const message = body.message ?? "";
  checkMessage(mattermost, message);
  checkProps(body.props ?? {});
  const fileIds = body.file_ids ?? [];
  if (JSON.stringify(fileIds).length > MAX_FILE_IDS) refuse("model.post.is_valid.file_ids.app_error");
  const rootId = body.root_id ?? "";
  if (rootId !== "") checkRoot(context, rootId, channel);
  if (!["", "me", "slack_attachment"].includes(type) && !type.startsWith("custom_"))
    refuse("model.post.is_valid.type.app_error");
  const isOnlineSet = context.query.get("set_online") !== "false";
  const isTimeGiven =
    body.create_at !== undefined && body.create_at > 0 && isSystemAdmin(mattermost.db, caller);
  const row = storePost(mattermost, {
    channel,
    userId: caller,
    message,
    type,
    props: body.props ?? {},
    rootId,
    pendingId: body.pending_post_id ?? "",
    isPinned: body.is_pinned ?? false,
    fileIds,
    isOnlineSet,
    ...(isTimeGiven && body.create_at !== undefined && { createAt: body.create_at }),
  });
  if (isOnlineSet) comeOnline(mattermost, caller, false);
  return created(renderNewPost(mattermost, row));
}

/**
 * Answers with a post. v11 shows a deleted post to admins who ask for it, and refuses others; v7 ignores the
 * parameter.
 */
function getPost(context: Context): unknown {
  const { mattermost } = context;
  const postId = param(context, "post_id");
  if (!mattermost.isV11 || !queryFlag(context, "include_deleted")) {
    return cacheable(renderPost(mattermost, requireReadablePost(context, postId)));
  }
  demandPermission(context, "manage_system");
  return cacheable(
    renderPost(mattermost, findPost(mattermost.db, postId) ?? refuse("app.post.get.app_error")),
  );
}

/** Returns the post to change. A missing post is refused like another author's. @throws ApiError 403 */
function requirePostToChange(context: Context): PostRow {
  const post = findPost(context.mattermost.db, param(context, "post_id"));
  return post && post.delete_at === 0 ? post : refuse("api.context.permissions.app_error");
}

/** Returns the post if the caller may change it. @throws ApiError */
function requireEditable(context: Context): PostRow {
  const post = requirePostToChange(context);
  demandAtPost(context, post, post.user_id === callerId(context) ? "edit_post" : "edit_others_posts");
  // The server's own posts cannot be edited.
  if (isSystemType(post.type)) refuse("api.context.permissions.app_error");
  if (channelOf(context, post).delete_at > 0)
    refuse("api.post.patch_post.can_not_update_post_in_deleted.error");
  return post;
}

function change(context: Context, changes: PostChanges): unknown {
  const post = requireEditable(context);
  if (changes.message !== undefined) checkMessage(context.mattermost, changes.message);
  if (changes.props) checkProps(changes.props);
  return renderPost(context.mattermost, editPost(context.mattermost, post, changes));
}

function putPatch(context: Context): unknown {
  const { message, is_pinned, props } = readBody(context, PostPatch, "post");
  return change(context, {
    ...(typeof message === "string" && { message }),
    ...(typeof is_pinned === "boolean" && { is_pinned }),
    ...(props && { props }),
  });
}

function removePost(context: Context): unknown {
  const isNamed = context.mattermost.isV11;
  const post = isNamed ? requirePost(context, param(context, "post_id")) : requirePostToChange(context);
  demandAtPost(context, post, post.user_id === callerId(context) ? "delete_post" : "delete_others_posts");
  deletePost(context.mattermost, post, callerId(context));
  return ok;
}

/** Returns the post to pin. In v11 any reader of a public channel may pin there. @throws ApiError */
function requirePostToPin(context: Context): PostRow {
  if (!context.mattermost.isV11)
    return requirePostWithRight(context, param(context, "post_id"), "read_channel");
  const post = requirePostToChange(context);
  demand(canSeeChannel(context.mattermost.db, callerId(context), channelOf(context, post)));
  return post;
}

function pin(context: Context, is_pinned: boolean): unknown {
  const post = requirePostToPin(context);
  if (isSystemType(post.type)) refuse("api.post.update_post.system_message.app_error");
  if (channelOf(context, post).delete_at > 0)
    refuse("api.post.patch_post.can_not_update_post_in_deleted.error");
  editPost(context.mattermost, post, { is_pinned });
  return ok;
}

export const postRoutes: Route[] = [
  route("POST", "/posts", postPost),
  route("GET", "/posts/{post_id}", getPost),
  route("PUT", "/posts/{post_id}/patch", putPatch),
  route("DELETE", "/posts/{post_id}", removePost),
  route("POST", "/posts/{post_id}/pin", (context) => pin(context, true)),
  route("POST", "/posts/{post_id}/unpin", (context) => pin(context, false)),
];
