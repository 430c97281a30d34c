import { type Context, callerId } from "./context.ts";
import { demand, refuse } from "./errors.ts";
import { type ChannelRow, findChannel } from "./model/channels.ts";
import { findPost, type PostRow } from "./model/posts.ts";
import { findUser, type UserRow } from "./model/users.ts";
import { canInChannel, canSeeChannel, isSystemAdmin, type Permission } from "./permissions.ts";

/** Returns a post that is not deleted. @throws ApiError 404. */
export function requirePost(context: Context, postId: string): PostRow {
  const post = findPost(context.mattermost.db, postId);
  return post && post.delete_at === 0 ? post : refuse("app.post.get.app_error");
}

/**
 * @throws ApiError 403 unless the caller has the permission in the post's channel, even if the post is
 * deleted. If the post does not exist, only admins pass.
 */
export function demandAtPostId(context: Context, postId: string, permission: Permission): void {
  const post = findPost(context.mattermost.db, postId);
  if (post) demandAtPost(context, post, permission);
  else demand(isSystemAdmin(context.mattermost.db, callerId(context)));
}

/** Like `requirePost`, but checks the permission before the post. @throws ApiError 403 or 404. */
export function requirePostWithRight(context: Context, postId: string, permission: Permission): PostRow {
  demandAtPostId(context, postId, permission);
  return requirePost(context, postId);
}

export function channelOf(context: Context, post: PostRow): ChannelRow {
  return findChannel(context.mattermost.db, post.channel_id) ?? refuse("app.channel.get.existing.app_error");
}

/**
 * Returns a post that the caller may read, as a member, or in a public channel of their team. @throws
 * ApiError 404 or 403.
 */
export function requireReadablePost(context: Context, postId: string): PostRow {
  const post = requirePost(context, postId);
  demand(canSeeChannel(context.mattermost.db, callerId(context), channelOf(context, post)));
  return post;
}

/** @throws ApiError 403 unless the caller has the permission in the post's channel. */
export function demandAtPost(context: Context, post: PostRow, permission: Permission): void {
  demand(canInChannel(context.mattermost.db, callerId(context), channelOf(context, post), permission));
}

/** Returns the user with this id. @throws ApiError 404 if there is none. */
export function requireUser(context: Context, userId: string): UserRow {
  return findUser(context.mattermost.db, userId) ?? refuse("app.user.missing_account.const");
}

/** Returns the calling user. */
export function requireCaller(context: Context): UserRow {
  return requireUser(context, callerId(context));
}

export type Reply = {
  kind: "reply";
  status: number;
  headers: Record<string, string | string[]>;
  /** The body, which is sent as JSON unless it is bytes. */
  body: unknown;
  /** True to answer 304 if the client already has this body. */
  isCacheable: boolean;
};

const plain = { kind: "reply", status: 200, headers: {}, isCacheable: false } as const;

/** Success without a resource. */
export const ok = { status: "OK" };

export function created(body: unknown): Reply {
  return { ...plain, status: 201, body };
}

/** Returns a reply with an `ETag` of its body. */
export function cacheable(body: unknown): Reply {
  return { ...plain, body, isCacheable: true };
}

export function withHeaders(body: unknown, headers: Reply["headers"]): Reply {
  return { ...plain, headers, body };
}

export function bytes(body: Uint8Array, headers: Reply["headers"], status = 200): Reply {
  return { ...plain, status, headers, body };
}

/** Returns the reply for a handler's result. A bare value becomes a 200 with that JSON. */
export function asReply(value: unknown): Reply {
  const isReply = typeof value === "object" && value !== null && "kind" in value && value.kind === "reply";
  return isReply ? (value as Reply) : { ...plain, body: value };
}
