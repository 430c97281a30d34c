import { z } from "zod";
import { type Context, callerId, param, readBody } from "../context.ts";
import { refuse } from "../errors.ts";
import { isId } from "../id.ts";
import {
  deleteReaction,
  listEmojiNames,
  type PostRow,
  type ReactionRow,
  saveReaction,
  updatePost,
} from "../model/posts.ts";
import { isKnownEmoji } from "../operations/find-mentions.ts";
import { ok, requirePostWithRight } from "../require.ts";
import { type Route, route } from "../router.ts";
import { reactionObject } from "../serializers/post.ts";

const MAX_KINDS = 50;
const MAX_NAME_BYTES = 64;
const NewReaction = z.object({ user_id: z.string(), post_id: z.string(), emoji_name: z.string() });

const isEmojiLength = (name: string) => name !== "" && Buffer.byteLength(name) <= MAX_NAME_BYTES;

function publish(context: Context, event: string, reaction: ReactionRow): void {
  context.mattermost.publish({
    event,
    data: { reaction: JSON.stringify(reactionObject(context.mattermost, reaction)) },
    broadcast: { channel_id: reaction.channel_id },
  });
}

function touch(context: Context, post: PostRow): void {
  updatePost(context.mattermost.db, post, { update_at: context.mattermost.clock.tick() });
}

function postReaction(context: Context): unknown {
  const { mattermost } = context;
  const body = readBody(context, NewReaction, "reaction");
  if (!isId(body.user_id) || !isId(body.post_id) || !isEmojiLength(body.emoji_name)) {
    refuse("api.reaction.save_reaction.invalid.app_error");
  }
  if (body.user_id !== callerId(context)) refuse("api.reaction.save_reaction.user_id.app_error");
  const post = requirePostWithRight(context, body.post_id, "add_reaction");
  if (!mattermost.isV11 && !/^[a-zA-Z0-9\-+_]+$/.test(body.emoji_name))
    refuse("model.reaction.is_valid.emoji_name.app_error");
  if (mattermost.isV11) {
    if (!isKnownEmoji(body.emoji_name)) refuse("app.emoji.get_by_name.no_result");
    const kinds = listEmojiNames(mattermost.db, post.id);
    const isNewKind = !kinds.includes(body.emoji_name);
    if (isNewKind && kinds.length >= MAX_KINDS) refuse("app.reaction.save.save.too_many_reactions");
  }
  const now = mattermost.clock.now();
  const reaction = { ...body, channel_id: post.channel_id, create_at: now, update_at: now };
  saveReaction(mattermost.db, reaction);
  touch(context, post);
  publish(context, "reaction_added", reaction);
  return reactionObject(mattermost, reaction);
}

function deleteOne(context: Context): unknown {
  const { mattermost } = context;
  const userId = param(context, "user_id");
  const emoji_name = param(context, "emoji_name");
  const permission = userId === callerId(context) ? "remove_reaction" : "remove_others_reactions";
  const post = requirePostWithRight(context, param(context, "post_id"), permission);
  if (deleteReaction(mattermost.db, post.id, userId, emoji_name)) touch(context, post);
  const gone = { user_id: userId, post_id: post.id, emoji_name, channel_id: post.channel_id };
  publish(context, "reaction_removed", { ...gone, create_at: 0, update_at: mattermost.clock.now() });
  return ok;
}

export const reactionRoutes: Route[] = [
  route("POST", "/reactions", postReaction),
  route("DELETE", "/users/{user_id}/posts/{post_id}/reactions/{emoji_name}", deleteOne),
];
