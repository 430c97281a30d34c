import { notifyManager, type QueryClient } from "@tanstack/react-query";
import type { ChatClient, ChatEventName, ChatEvents } from "#lib/chat-client/index.ts";
import {
  addPost,
  changeChannel,
  changeNow,
  changePages,
  changePost,
  discountReply,
  notePinned,
  queryKeys,
  rememberUsers,
} from "./cache.ts";
import { countNews } from "./channels.ts";
import { type Channel, isSystemPost, type Post, programOf, type User } from "./model.ts";
import type { Outbox } from "./outbox.ts";
import type { Presence, TypingList } from "./presence.ts";
import { withoutReaction, withReaction } from "./reactions.ts";
import { endUnread, keepUnread } from "./use-view.ts";

export type EventContext = {
  cache: QueryClient;
  me: User;
  outbox: Outbox;
  typing: TypingList;
  presence: Pick<Presence, "tell" | "see">;
  /** Reports to Mattermost that the user is active on this page. */
  sayHere: () => void;
  /** Requests the channel list again. */
  refetchChannels: () => void;
  /** Requests channels and threads again after a delay that differs between pages. */
  refetchLater: () => void;
  /** Requests the followed threads again. */
  refetchInbox: () => void;
  /** Returns whether replies count only in their thread; undefined while unknown. */
  areThreadsApart: () => boolean | undefined;
  /** Returns whether the user is viewing the end of a channel or thread in this window. */
  isReading: (placeId: string) => boolean;
  /** Called when a post has just been written. */
  onArrival: (postId: string) => void;
  /** Called with a new message that notifies; `placeId` is the channel or thread in which it counts. */
  onNews: (post: Post, channel: Channel, senderName: string, isMention: boolean, placeId: string) => void;
};

type Handler<N extends ChatEventName> = (context: EventContext, event: ChatEvents[N]) => void;

/**
 * Refetches the channel list if a request for it is in progress, whose answer may predate the change and
 * would undo it.
 */
function refetchAfterReading({ cache, refetchChannels }: EventContext): void {
  if (cache.isFetching({ queryKey: queryKeys.channels }) > 0) refetchChannels();
}

/** Stores the name that came with the post for a user who was not seen before. */
function meetSender(cache: QueryClient, id: string, senderName: string): void {
  const username = senderName.replace(/^@/, "");
  const known = cache.getQueryData<Record<string, User>>(queryKeys.users);
  if (!known?.[id] && /^[a-z0-9._-]{1,64}$/.test(username)) rememberUsers(cache, [{ id, username }]);
}

const LISTED_WITHIN_MS = 30_000;

/** Calls back once a channel appears in the list, unless that takes more than half a minute. */
function onceListed(cache: QueryClient, channelId: string, act: (channel: Channel) => void): void {
  const end = cache.getQueryCache().subscribe(() => {
    const listed = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
    if (!listed) return;
    stop();
    act(listed);
  });
  const timer = setTimeout(end, LISTED_WITHIN_MS);
  const stop = () => {
    clearTimeout(timer);
    end();
  };
}

const onPosted: Handler<"posted"> = (context, { post, senderName, mentions, followers }) => {
  const { cache, me, outbox, typing, presence, isReading, onArrival, onNews } = context;
  const isOwn = post.userId === me.id;
  typing.stop(post.channelId, post.rootId, post.userId);
  const isSystem = isSystemPost(post);
  // A program's message says nothing about its owner's presence.
  if (!isSystem && !programOf(post)) presence.see(post.userId);
  onArrival(post.id);
  addPost(cache, post);
  // A name that a program gave itself belongs to no user.
  if (!programOf(post)?.name) meetSender(cache, post.userId, senderName);
  const pendingId = post.pendingPostId;
  // The pending post is removed in the same render as the timeline changes, so that the row does not blink.
  if (pendingId) notifyManager.schedule(() => outbox.remove(pendingId));
  const channel = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === post.channelId);
  const isRoot = post.rootId === "";
  const isApart = context.areThreadsApart();
  const isReplyApart = isApart === true && !isRoot;
  const isMeant = mentions.includes(me.id) || (isReplyApart && followers.includes(me.id));
  const isMentionIn = ({ type }: Channel) => !isOwn && (type === "D" || isMeant);
  const placeId = isReplyApart ? post.rootId : post.channelId;
  const isUnread = !isOwn && !isSystem && !isReading(placeId);
  const tell = (listed: Channel) => {
    const isMention = isMentionIn(listed);
    // Replies in a thread that the reader does not follow never notify, whatever the channel's notification
    // level.
    if (isMention || !isReplyApart) onNews(post, listed, senderName, isMention, placeId);
  };
  if (!channel) {
    if (isUnread) onceListed(cache, post.channelId, tell);
    return context.refetchChannels();
  }
  const isOwnRoot = isOwn && isRoot;
  const isCounted = isUnread && (isRoot || isApart === false);
  const news = isCounted ? countNews(channel, isMentionIn(channel)) : { messageCount: 0, mentionCount: 0 };
  changeChannel(cache, channel.id, (present) => ({
    ...present,
    lastPostAt: Math.max(present.lastPostAt, post.createAt),
    // Mattermost marks a channel as read for anyone who writes in it.
    lastViewedAt: isOwnRoot ? Math.max(present.lastViewedAt, post.createAt) : present.lastViewedAt,
    messageCount: present.messageCount + news.messageCount,
    mentionCount: present.mentionCount + news.mentionCount,
  }));
  if (isUnread && !isRoot && isApart === undefined) context.refetchChannels();
  else refetchAfterReading(context);
  if (isUnread) tell(channel);
};

function onViewed(context: EventContext, channelId: string): void {
  changeChannel(context.cache, channelId, (channel) => ({
    ...channel,
    messageCount: 0,
    mentionCount: 0,
    lastViewedAt: Math.max(channel.lastViewedAt, channel.lastPostAt),
  }));
  endUnread(channelId);
  refetchAfterReading(context);
}

/** Removes channels that the reader has left from the list, and the reader from their pages. */
function onRemoved({ cache, refetchChannels }: EventContext, channelIds: readonly string[]): void {
  for (const channelId of channelIds) changePages(cache, channelId, (page) => ({ ...page, member: null }));
  changeNow<Channel[]>(cache, queryKeys.channels, (channels) =>
    channels.filter(({ id }) => !channelIds.includes(id)),
  );
  refetchChannels();
}

function renamed(channel: Channel, user: NonNullable<Channel["directUser"]>): Channel {
  return { ...channel, displayName: `@${user.username}`, directUser: { ...channel.directUser, ...user } };
}

const handlers: { readonly [N in ChatEventName]?: Handler<N> } = {
  posted: onPosted,
  post_edited: ({ cache }, { post: edited }) => {
    changePost(cache, edited.id, (post) => ({
      ...post,
      ...edited,
      // The event of an edit lacks this field.
      lastReplyAt: edited.lastReplyAt || post.lastReplyAt,
      participants: edited.participants ?? post.participants,
      metadata: { ...post.metadata, ...edited.metadata },
    }));
    notePinned(cache, edited, edited.isPinned === true);
  },
  post_deleted: ({ cache }, { post }) => {
    const { id, rootId } = post;
    notePinned(cache, post, false);
    changePost(cache, id, (post) => ({ ...post, deleteAt: Date.now(), message: "" }));
    if (rootId) discountReply(cache, rootId);
  },
  reaction_added: ({ cache }, { reaction }) =>
    changePost(cache, reaction.postId, (post) => withReaction(post, reaction)),
  reaction_removed: ({ cache }, { reaction }) =>
    changePost(cache, reaction.postId, (post) => withoutReaction(post, reaction)),
  typing: ({ typing, presence, me }, { userId, channelId, rootId }) => {
    presence.see(userId);
    if (userId !== me.id) typing.start(channelId, rootId, userId);
  },
  user_updated: ({ cache }, { user }) => {
    rememberUsers(cache, [user]);
    changeNow<Channel[]>(cache, queryKeys.channels, (channels) =>
      channels.map((channel) => (channel.directUser?.id === user.id ? renamed(channel, user) : channel)),
    );
  },
  status_change({ presence, me, sayHere }, { userId, status }) {
    presence.tell({ [userId]: status });
    // Mattermost 11 marks a user who reloads the page as offline half a second after they return.
    if (userId === me.id && status === "offline") sayHere();
  },
  channels_viewed: (context, { channelIds }) => {
    for (const channelId of channelIds) onViewed(context, channelId);
  },
  channels_changed: ({ cache, refetchChannels, refetchLater }, { archived, unread, isForEverybody }) => {
    if (unread) keepUnread(unread.channelId, unread.since);
    if (archived) {
      const deleteAt = archived.isArchived ? Date.now() : 0;
      changePages(cache, archived.channelId, (page) => ({
        ...page,
        channel: { ...page.channel, deleteAt },
      }));
    }
    if (isForEverybody) refetchLater();
    else refetchChannels();
  },
  threads_changed: ({ refetchInbox }) => refetchInbox(),
  user_added: ({ cache, me, refetchChannels }, { userId, channelId }) => {
    if (userId !== me.id) return;
    refetchChannels();
    // No event reported the messages written while the reader was not a member.
    void cache.invalidateQueries({ queryKey: queryKeys.timelinesOf(channelId) });
  },
  user_removed: (context, { userId, channelId }) => {
    if (userId === context.me.id) onRemoved(context, [channelId]);
  },
  leave_team: (context, { userId, teamId }) => {
    if (userId !== context.me.id) return;
    const channels = context.cache.getQueryData<Channel[]>(queryKeys.channels) ?? [];
    onRemoved(
      context,
      channels.filter((channel) => channel.teamId === teamId).map(({ id }) => id),
    );
  },
};

/** Applies events to the cached data until the returned function is called. */
export function followEvents(on: ChatClient["on"], contextOf: () => EventContext): () => void {
  const follow = <N extends ChatEventName>(name: N) =>
    on(name, (event) => (handlers[name] as Handler<N>)(contextOf(), event));
  const stops = (Object.keys(handlers) as ChatEventName[]).map(follow);
  return () => {
    for (const stop of stops) stop();
  };
}
