import { notifyManager, type QueryClient } from "@tanstack/react-query";
import { addPost, changeChannel, changePost, discountReply, rememberUsers } from "./cache.ts";
import { countNews } from "./count-news.ts";
import type { Channel, Frame, Post, Reaction, User } from "./model.ts";
import type { Outbox } from "./outbox.ts";
import type { Presence } from "./presence.ts";
import { queryKeys } from "./query-keys.ts";
import { withoutReaction, withReaction } from "./reactions.ts";
import type { TypingList } from "./typing.ts";

export type EventContext = {
  cache: QueryClient;
  me: User;
  outbox: Outbox;
  typing: TypingList;
  presence: Pick<Presence, "tell">;
  /** Asks for the channel list anew. */
  rereadChannels: () => void;
  /** The channel that the user is looking at, in a focused window and at its end. */
  isReading: (channelId: string) => boolean;
  /** A post was written just now. */
  onArrival: (postId: string) => void;
  onNews: (post: Post, channel: Channel, senderName: string, isMention: boolean) => void;
};

type Handler = (context: EventContext, frame: Frame) => void;

const parse = <T>(value: unknown): T => JSON.parse(String(value)) as T;
const textOf = (value: unknown) => (typeof value === "string" ? value : "");

const reread: Handler = ({ rereadChannels }) => rereadChannels();

/** A reading of the list that is under way may be older than what an event just changed in it, and would undo that. */
function rereadAfterReading({ cache, rereadChannels }: EventContext): void {
  if (cache.isFetching({ queryKey: queryKeys.channels }) > 0) rereadChannels();
}

/** Somebody not met before is known by the name that came with the post. */
function meetSender(cache: QueryClient, id: string, senderName: string): void {
  const username = senderName.replace(/^@/, "");
  const known = cache.getQueryData<Record<string, User>>(queryKeys.users);
  if (!known?.[id] && /^[a-z0-9._-]{1,64}$/.test(username)) rememberUsers(cache, [{ id, username }]);
}

const onPosted: Handler = (context, frame) => {
  const { data } = frame;
  const { cache, me, outbox, typing, isReading, onArrival, onNews } = context;
  const post = parse<Post>(data.post);
  const isOwn = post.user_id === me.id;
  typing.stop(post.channel_id, post.root_id, post.user_id);
  onArrival(post.id);
  addPost(cache, post);
  meetSender(cache, post.user_id, textOf(data.sender_name));
  const pendingId = post.pending_post_id;
  // With the timeline's own change and not before it, so that the row does not blink.
  if (pendingId) notifyManager.schedule(() => outbox.remove(pendingId));
  const channel = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === post.channel_id);
  if (!channel) return context.rereadChannels();
  const isMention = !isOwn && (channel.type === "D" || textOf(data.mentions).includes(`"${me.id}"`));
  const isUnread = !isOwn && post.type === "" && !isReading(post.channel_id);
  const isRoot = post.root_id === "";
  const isOwnRoot = isOwn && isRoot;
  const news = isUnread ? countNews(channel, { isRoot, isMention }) : { message_count: 0, mention_count: 0 };
  changeChannel(cache, channel.id, (present) => ({
    ...present,
    last_post_at: Math.max(present.last_post_at, post.create_at),
    // The server takes a channel as read by whoever writes in it.
    last_viewed_at: isOwnRoot ? Math.max(present.last_viewed_at, post.create_at) : present.last_viewed_at,
    message_count: present.message_count + news.message_count,
    mention_count: present.mention_count + news.mention_count,
  }));
  rereadAfterReading(context);
  if (isUnread) onNews(post, channel, textOf(data.sender_name), isMention);
};

function onViewed(context: EventContext, channelId: string): void {
  changeChannel(context.cache, channelId, (channel) => ({
    ...channel,
    message_count: 0,
    mention_count: 0,
    last_viewed_at: Math.max(channel.last_viewed_at, channel.last_post_at),
  }));
  rereadAfterReading(context);
}

/** What each of the backend's events changes here; events without a row change nothing. */
export const eventHandlers: Readonly<Record<string, Handler>> = {
  posted: onPosted,
  post_edited: ({ cache }, { data }) => {
    const edited = parse<Post>(data.post);
    changePost(cache, edited.id, (post) => ({
      ...post,
      ...edited,
      metadata: { ...post.metadata, ...edited.metadata },
    }));
  },
  post_deleted: ({ cache }, { data }) => {
    const { id, root_id } = parse<Post>(data.post);
    changePost(cache, id, (post) => ({ ...post, delete_at: Date.now(), message: "" }));
    if (root_id) discountReply(cache, root_id);
  },
  reaction_added: ({ cache }, { data }) => {
    const reaction = parse<Reaction>(data.reaction);
    changePost(cache, reaction.post_id, (post) => withReaction(post, reaction));
  },
  reaction_removed: ({ cache }, { data }) => {
    const reaction = parse<Reaction>(data.reaction);
    changePost(cache, reaction.post_id, (post) => withoutReaction(post, reaction));
  },
  typing: ({ typing, me }, { data, broadcast }) => {
    const userId = textOf(data.user_id);
    if (userId !== me.id) typing.start(broadcast.channel_id ?? "", textOf(data.parent_id), userId);
  },
  user_updated: ({ cache }, { data }) => rememberUsers(cache, [data.user as User]),
  status_change: ({ presence }, { data }) => presence.tell({ [textOf(data.user_id)]: textOf(data.status) }),
  channel_viewed: (context, { data }) => onViewed(context, textOf(data.channel_id)),
  multiple_channels_viewed: (context, { data }) => {
    for (const channelId of Object.keys((data.channel_times ?? {}) as object)) onViewed(context, channelId);
  },
  post_unread: reread,
  direct_added: reread,
  group_added: reread,
  channel_created: reread,
  channel_updated: reread,
  channel_converted: reread,
  channel_deleted: reread,
  channel_restored: reread,
  channel_member_updated: reread,
  preferences_changed: reread,
  preferences_deleted: reread,
  sidebar_category_updated: reread,
  sidebar_category_order_updated: reread,
  added_to_team: reread,
  user_added: ({ me, rereadChannels }, { data }) => {
    if (data.user_id === me.id) rereadChannels();
  },
  user_removed: ({ me, rereadChannels }, { data, broadcast }) => {
    if (broadcast.user_id === me.id || data.user_id === me.id) rereadChannels();
  },
};
