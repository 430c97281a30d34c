/** The audience of an event. The first field that is set decides: connection, user, (omitted users), channel, team, everyone. */
export type Broadcast = {
  omit_users: Record<string, true> | null;
  user_id: string;
  channel_id: string;
  team_id: string;
  connection_id: string;
  omit_connection_id: string;
  /** Hidden from system admins. */
  contains_sanitized_data?: true;
  /** Visible to system admins only. */
  contains_sensitive_data?: true;
};

export type ServerEvent = {
  event: string;
  data: Record<string, unknown>;
  broadcast: Broadcast;
  /**
   * Replaces `data` for one recipient (in v11 `mentions` and `followers` name only the
   * recipient themselves).
   */
  dataFor?: (userId: string) => Record<string, unknown>;
};

/** An event as published: broadcast fields that are left out are empty. */
export type NewEvent = Omit<ServerEvent, "broadcast"> & { broadcast: Partial<Broadcast> };

type EventListener = (event: ServerEvent) => void;

export type EventBus = {
  publish(event: NewEvent): void;
  /** Returns the function that ends the subscription. Listeners are called at once, in order, and must not throw. */
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

/** The bus between the REST routes, which publish, and the websocket hub, which delivers. */
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
  /** Milliseconds; 0 for a user who was never seen. */
  last_activity_at: number;
  /** Seconds; 0 when not set. */
  dnd_end_time: number;
};

/** The parts of Mattermost that the websocket hub uses. Every call is synchronous and reads the current database. */
export type MattermostForHub = {
  flavour: Flavour;
  /** The value of `X-Version-Id` and of `server_version` in the hello. */
  serverVersion: string;
  events: EventBus;

  /** The session of a session token or a personal access token, created on the latter's first use. */
  authenticate(token: string): { userId: string; sessionId: string } | null;
  /** False once logged out, expired, revoked, disabled, or when the user was deactivated. */
  isSessionAlive(sessionId: string): boolean;
  isUserActive(userId: string): boolean;
  isSystemAdmin(userId: string): boolean;
  isChannelMember(userId: string, channelId: string): boolean;
  isTeamMember(userId: string, teamId: string): boolean;
  /** True if the user may post in the channel; false for an unknown or archived one. */
  canPost(userId: string, channelId: string): boolean;

  /** Offline with `last_activity_at` 0 for an unknown or never seen user. */
  status(userId: string): Status;
  /** Everyone who is not offline, for `get_statuses`. */
  statuses(): ReadonlyMap<string, StatusWord>;
  /** A socket of the user was opened: online (unless set by hand), and `status_change` to themselves when that changed it. */
  socketOpened(userId: string): void;
  /** The user's last socket is gone: offline (unless set by hand), and `status_change` to themselves when that changed it. */
  lastSocketClosed(userId: string): void;
  /** The `user_update_active_status` action: online, or away (not by hand: only after 5 idle minutes). */
  setActive(userId: string, isActive: boolean, isManual: boolean): void;
  /** Publishes `typing`. The caller has checked `canPost`. */
  typing(userId: string, channelId: string, parentId: string): void;
};

/** The result of `attachWebsocket(server, mattermost)` in `websocket/attach.ts`. */
export type AttachedHub = {
  /** Drops every socket and stops the timers. */
  close(): void;
};
