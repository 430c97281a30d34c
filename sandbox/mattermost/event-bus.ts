/**
 * The audience of an event. The first field that is set decides, in this order: connection, user, (omitted
 * users), channel, team, everyone.
 */
export type Broadcast = {
  omit_users: Record<string, true> | null;
  user_id: string;
  channel_id: string;
  team_id: string;
  connection_id: string;
  omit_connection_id: string;
  /** True if system admins do not receive the event. */
  contains_sanitized_data?: true;
  /** True if only system admins receive the event. */
  contains_sensitive_data?: true;
};

export type ServerEvent = {
  event: string;
  data: Record<string, unknown>;
  broadcast: Broadcast;
  /** Replaces `data` for one recipient: in v11, `mentions` and `followers` only name the recipient. */
  dataFor?: (userId: string) => Record<string, unknown>;
};

/** An event as published. Missing broadcast fields are empty. */
export type NewEvent = Omit<ServerEvent, "broadcast"> & { broadcast: Partial<Broadcast> };

type EventListener = (event: ServerEvent) => void;

export type EventBus = {
  publish(event: NewEvent): void;
  /**
   * Adds a listener, and returns the function that removes it. Listeners are called immediately and in order,
   * and must not throw.
   */
  subscribe(listener: EventListener): () => void;
};

const nobody: Broadcast = {
  omit_users: null,
  user_id: "",
  channel_id: "",
  team_id: "",
  connection_id: "",
  omit_connection_id: "",
};

/** Creates the bus between the REST routes, which publish, and the websocket hub, which delivers. */
export function createEventBus(): EventBus {
  const listeners = new Set<EventListener>();
  return {
    publish(event) {
      const whole = { ...event, broadcast: { ...nobody, ...event.broadcast } };
      for (const listener of listeners) listener(whole);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export type Flavour = "v11" | "v7";

export type StatusWord = "online" | "away" | "dnd" | "offline";

export type Status = {
  user_id: string;
  status: StatusWord;
  manual: boolean;
  /** Time in milliseconds; 0 for a user who was never seen. */
  last_activity_at: number;
  /** Time in seconds; 0 if not set. */
  dnd_end_time: number;
};

/**
 * The parts of Mattermost that the websocket hub uses. Every call is synchronous and reads the current
 * database.
 */
export type MattermostForHub = {
  flavour: Flavour;
  /** The value of `X-Version-Id` and of `server_version` in the hello. */
  serverVersion: string;
  events: EventBus;

  /**
   * Returns the session of a session token or a personal access token, or null for any other text. The
   * session of a personal access token is created on its first use.
   */
  authenticate(token: string): { userId: string; sessionId: string } | null;
  /**
   * Returns false once the session was logged out, expired, was revoked or disabled, or its user was
   * deactivated.
   */
  isSessionAlive(sessionId: string): boolean;
  isUserActive(userId: string): boolean;
  isSystemAdmin(userId: string): boolean;
  isChannelMember(userId: string, channelId: string): boolean;
  isTeamMember(userId: string, teamId: string): boolean;
  /** Returns whether the user may post in the channel; false for an unknown or archived channel. */
  canPost(userId: string, channelId: string): boolean;

  /** Returns a user's status: offline, with `last_activity_at` 0, for an unknown or never seen user. */
  status(userId: string): Status;
  /** Returns everyone who is not offline, for `get_statuses`. */
  statuses(): ReadonlyMap<string, StatusWord>;
  /**
   * Records that the user opened a socket: online (unless the status was set manually), and a `status_change`
   * to the user if that changed the status.
   */
  socketOpened(userId: string): void;
  /**
   * Records that the user's last socket closed: offline (unless the status was set manually), and a
   * `status_change` to the user if that changed the status.
   */
  lastSocketClosed(userId: string): void;
  /**
   * The `user_update_active_status` action: online or away (away only after 5 idle minutes, unless set
   * manually).
   */
  setActive(userId: string, isActive: boolean, isManual: boolean): void;
  /** Publishes `typing`. The caller must have checked `canPost`. */
  typing(userId: string, channelId: string, parentId: string): void;
};

/** The result of `attachWebsocket(server, mattermost)` in `websocket/attach.ts`. */
export type AttachedHub = {
  /** Drops every socket and stops the timers. */
  close(): void;
};
