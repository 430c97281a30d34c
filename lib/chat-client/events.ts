import type { Post, Reaction } from "../contract/answers.ts";

/** A frame as Mattermost sent it. */
export type Frame = {
  event: string;
  seq: number;
  data: Readonly<Record<string, unknown>>;
  broadcast: { channel_id?: string; user_id?: string; team_id?: string };
};

/** `waiting`: the connection is lost and will be tried again; `closed`: it will not. */
export type ConnectionState = "connecting" | "open" | "waiting" | "closed";

/** What the client tells of, by name. */
export type ChatEvents = {
  /** A message or reply was written; `mentions` are the ids of the users that it names. */
  posted: { post: Post; channelName: string; senderName: string; mentions: string[] };
  post_edited: { post: Post };
  post_deleted: { post: Post };
  reaction_added: { reaction: Reaction };
  reaction_removed: { reaction: Reaction };
  /** `rootId` is empty outside of threads. */
  typing: { userId: string; channelId: string; rootId: string };
  /** The own presence; that of others is asked for with `presence`. */
  status_change: { userId: string; status: string };
  /** Every event, those above too, as it came. */
  frame: Frame;
  state: ConnectionState;
  /** Events were missed and can't be had again: what is shown must be read again. Also told after the first connection. */
  gap: Record<string, never>;
  /** A frame that could not be read, or a listener that threw; the connection goes on. */
  error: unknown;
};

export type ChatEventName = keyof ChatEvents;
type Listener<N extends ChatEventName> = (event: ChatEvents[N]) => void;

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** Several values are JSON within the JSON of the frame. */
const inner = (value: unknown): never => (typeof value === "string" ? JSON.parse(value) : value) as never;

const readers: { [N in ChatEventName]?: (frame: Frame) => ChatEvents[N] } = {
  posted: ({ data }) => ({
    post: inner(data.post),
    channelName: text(data.channel_display_name),
    senderName: text(data.sender_name),
    mentions: data.mentions === undefined ? [] : inner(data.mentions),
  }),
  post_edited: ({ data }) => ({ post: inner(data.post) }),
  post_deleted: ({ data }) => ({ post: inner(data.post) }),
  reaction_added: ({ data }) => ({ reaction: inner(data.reaction) }),
  reaction_removed: ({ data }) => ({ reaction: inner(data.reaction) }),
  typing: ({ data, broadcast }) => ({
    userId: text(data.user_id),
    channelId: text(broadcast.channel_id),
    rootId: text(data.parent_id),
  }),
  status_change: ({ data }) => ({ userId: text(data.user_id), status: text(data.status) }),
};

/** Creates the list of who listens to what. */
export function createEvents() {
  const listeners = new Map<ChatEventName, Set<Listener<never>>>();

  const tell = <N extends ChatEventName>(name: N, event: ChatEvents[N]) => {
    for (const listener of listeners.get(name) ?? []) {
      try {
        (listener as Listener<N>)(event);
      } catch (error) {
        // One listener's fault must not keep the event from the others.
        if (name !== "error") tell("error", error);
      }
    }
  };

  return {
    tell,
    tellFrame(frame: Frame) {
      tell("frame", frame);
      const name = frame.event as ChatEventName;
      const read = readers[name];
      if (!read || !listeners.get(name)?.size) return;
      try {
        tell(name, read(frame));
      } catch (error) {
        tell("error", error);
      }
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
