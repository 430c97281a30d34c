import type * as wire from "../contract/answers.ts";
import type { Post, Reaction, User } from "./answers.ts";
import { camelCased } from "./camel-cased.ts";

/** A frame as Mattermost sent it, with Mattermost's names. */
export type Frame = {
  event: string;
  seq: number;
  data: Readonly<Record<string, unknown>>;
  broadcast: { channel_id?: string; user_id?: string; team_id?: string };
};

/** `waiting`: the connection is lost and will be retried; `closed`: it will not. */
export type ConnectionState = "connecting" | "open" | "waiting" | "closed";

/** The client's events, by name. */
export type ChatEvents = {
  /**
   * A message or reply was written. `mentions` are the ids of the mentioned users, `followers` those of the thread's
   * followers; newer versions of Mattermost name only the receiving user in both.
   */
  posted: { post: Post; channelName: string; senderName: string; mentions: string[]; followers: string[] };
  post_edited: { post: Post };
  post_deleted: { post: Post };
  reaction_added: { reaction: Reaction };
  reaction_removed: { reaction: Reaction };
  /** `rootId` is empty outside of threads. */
  typing: { userId: string; channelId: string; rootId: string };
  /** The user's own presence; call `presence` for that of others. */
  status_change: { userId: string; status: string };
  /** A user's name or picture changed. */
  user_updated: { user: User };
  /** The user has read these channels, here or on another device. */
  channels_viewed: { channelIds: string[] };
  /** A user, possibly the signed-in one, joined or left a channel. */
  user_added: { userId: string; channelId: string };
  user_removed: { userId: string; channelId: string };
  /**
   * A user left the team or was removed. If it was the signed-in user, they are no longer in any of its
   * channels.
   */
  leave_team: { userId: string; teamId: string };
  /**
   * The user's list of channels, or its order, changed; read it again to see how. If all users receive this
   * at the same moment, clients that show the list wait for a random time of a few seconds first. `archived`
   * names a channel that was archived or restored, which is reported to non-members too. `unread` names one
   * that the user marked as unread, here or elsewhere, and the time (ms) from which it is unread.
   */
  channels_changed: {
    isForEverybody: boolean;
    archived?: { channelId: string; isArchived: boolean };
    unread?: { channelId: string; since: number };
  };
  /**
   * A followed thread has new replies, or a thread was read, followed or unfollowed, here or elsewhere; an
   * empty id if all were read.
   */
  threads_changed: { threadId: string };
  /** Every event as it came, including those above. */
  frame: Frame;
  state: ConnectionState;
  /**
   * Events were missed and cannot be recovered, so everything on display must be read again. Also emitted after the
   * first connection.
   */
  gap: Record<string, never>;
  /**
   * The connection resumed where it broke off. The missed events follow, but Mattermost sometimes omits those
   * from the moment of resumption, so read again anything that must be complete.
   */
  resumed: Record<string, never>;
  /**
   * An unreadable frame, an error thrown by a listener, or the reason why the client cannot connect. The
   * connection continues, unless it is `closed`.
   */
  error: unknown;
};

export type ChatEventName = keyof ChatEvents;
type Listener<N extends ChatEventName> = (event: ChatEvents[N]) => void;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Parses a value of a frame, because several are JSON within the JSON of the frame. */
const inner = <T = never>(value: unknown): T => (typeof value === "string" ? JSON.parse(value) : value) as T;

const readPost = ({ post }: Frame["data"]): Post => camelCased(inner<wire.Post>(post));
const readReaction = ({ reaction }: Frame["data"]): Reaction => camelCased(inner<wire.Reaction>(reaction));

type Told = { [N in ChatEventName]: readonly [name: N, event: ChatEvents[N]] }[ChatEventName];

/** The id is empty if all threads were read at once. */
const threadChanged = ({ data }: Frame): Told => ["threads_changed", { threadId: text(data.thread_id) }];

const changed = (): Told => ["channels_changed", { isForEverybody: false }];
const changedForAll = (): Told => ["channels_changed", { isForEverybody: true }];

const archived = ({ event, data, broadcast }: Frame): Told => [
  "channels_changed",
  {
    isForEverybody: false,
    archived: {
      channelId: text(data.channel_id) || text(broadcast.channel_id),
      isArchived: event === "channel_deleted",
    },
  },
];

const markedUnread = ({ data, broadcast }: Frame): Told => [
  "channels_changed",
  {
    isForEverybody: false,
    unread: { channelId: text(broadcast.channel_id), since: Number(data.last_viewed_at) },
  },
];

/** The client events for each of Mattermost's events; those without a row are only emitted as frames. */
const readers: Readonly<Record<string, (frame: Frame) => Told>> = {
  posted: ({ data }) => [
    "posted",
    {
      post: readPost(data),
      channelName: text(data.channel_display_name),
      senderName: text(data.sender_name),
      mentions: data.mentions === undefined ? [] : inner(data.mentions),
      followers: data.followers === undefined ? [] : inner(data.followers),
    },
  ],
  post_edited: ({ data }) => ["post_edited", { post: readPost(data) }],
  post_deleted: ({ data }) => ["post_deleted", { post: readPost(data) }],
  reaction_added: ({ data }) => ["reaction_added", { reaction: readReaction(data) }],
  reaction_removed: ({ data }) => ["reaction_removed", { reaction: readReaction(data) }],
  typing: ({ data, broadcast }) => [
    "typing",
    {
      userId: text(data.user_id),
      channelId: text(broadcast.channel_id),
      rootId: text(data.parent_id),
    },
  ],
  status_change: ({ data }) => ["status_change", { userId: text(data.user_id), status: text(data.status) }],
  user_updated: ({ data }) => {
    const user = camelCased(inner<wire.User>(data.user));
    // Mattermost omits 0, and sends a negative number once a picture was removed.
    const lastPictureUpdate = Math.max(0, user.lastPictureUpdate || 0);
    return ["user_updated", { user: { ...user, lastPictureUpdate } }];
  },
  channel_viewed: ({ data }) => ["channels_viewed", { channelIds: [text(data.channel_id)] }],
  multiple_channels_viewed: ({ data }) => [
    "channels_viewed",
    { channelIds: Object.keys(data.channel_times ?? {}) },
  ],
  thread_updated: ({ data }) => [
    "threads_changed",
    { threadId: text(inner<{ id: unknown }>(data.thread).id) },
  ],
  thread_read_changed: threadChanged,
  thread_follow_changed: threadChanged,
  user_added: (frame) => ["user_added", membership(frame)],
  user_removed: (frame) => ["user_removed", membership(frame)],
  leave_team: ({ data }) => ["leave_team", { userId: text(data.user_id), teamId: text(data.team_id) }],
  post_unread: markedUnread,
  direct_added: changed,
  group_added: changed,
  channel_created: changed,
  channel_updated: changed,
  channel_converted: changed,
  channel_deleted: archived,
  channel_restored: archived,
  channel_member_updated: changed,
  preferences_changed: changed,
  preferences_deleted: changed,
  sidebar_category_updated: changed,
  sidebar_category_order_updated: changed,
  added_to_team: changed,
  user_activation_status_change: changedForAll,
  config_changed: changedForAll,
};

/**
 * Reads who joined or left which channel. A removed user receives a frame with the channel in its data and
 * the user as its receiver.
 */
const membership = ({ data, broadcast }: Frame) => ({
  userId: text(data.user_id) || text(broadcast.user_id),
  channelId: text(data.channel_id) || text(broadcast.channel_id),
});

/** Creates the registry of listeners. */
export function createEvents() {
  const listeners = new Map<ChatEventName, Set<Listener<never>>>();

  const tell = <N extends ChatEventName>(name: N, event: ChatEvents[N]) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        (listener as Listener<N>)(event);
      } catch (error) {
        // An error in one listener must not stop the others.
        if (name !== "error") tell("error", error);
      }
    }
  };

  return {
    tell,
    tellFrame(frame: Frame) {
      tell("frame", frame);
      const read = Object.hasOwn(readers, frame.event) && readers[frame.event];
      if (!read) return;
      let told: Told;
      try {
        told = read(frame);
      } catch (error) {
        tell("error", error);
        return;
      }
      const [name, event] = told;
      tell(name, event);
    },
    /** Listens until the returned function is called. */
    on<N extends ChatEventName>(name: N, listener: Listener<N>): () => void {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener as Listener<never>));
      return () => {
        known.delete(listener as Listener<never>);
      };
    },
  };
}

export type EventList = ReturnType<typeof createEvents>;
