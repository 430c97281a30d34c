import type { EventBus } from "./events.ts";

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

/** What the websocket hub asks of the backend. Every call is synchronous and reads the database as it is now. */
export type HubBackend = {
  flavour: Flavour;
  /** The value of `X-Version-Id` and of `server_version` in the hello. */
  serverVersion: string;
  events: EventBus;

  /** The session behind a session token or a personal access token, made on the first use of the latter. */
  authenticate(token: string): { userId: string; sessionId: string } | null;
  /** False once logged out, expired, revoked, disabled, or when the user was deactivated. */
  isSessionAlive(sessionId: string): boolean;
  isUserActive(userId: string): boolean;
  isSystemAdmin(userId: string): boolean;
  isChannelMember(userId: string, channelId: string): boolean;
  isTeamMember(userId: string, teamId: string): boolean;
  /** Whether the user may post in the channel: false also for an unknown or an archived one. */
  canPost(userId: string, channelId: string): boolean;

  /** Offline with `last_activity_at` 0 for an unknown or never seen user. */
  status(userId: string): Status;
  /** Everybody who is not offline, as `get_statuses` answers it. */
  statuses(): ReadonlyMap<string, StatusWord>;
  /** A socket of the user was opened: online (unless set by hand), and `status_change` to themselves when that changed it. */
  socketOpened(userId: string): void;
  /** The user's last socket is gone: offline (unless set by hand), and `status_change` to themselves when that changed it. */
  lastSocketClosed(userId: string): void;
  /** The `user_update_active_status` action: online, or away (not by hand: only after 5 idle minutes). */
  setActive(userId: string, isActive: boolean, isManual: boolean): void;
  /** Publishes `typing`; the caller has asked `canPost` first. */
  typing(userId: string, channelId: string, parentId: string): void;
};

/** What the backend gets back for `attachWebsocket(server, backend)` in `websocket/attach.ts`. */
export type AttachedHub = {
  /** Cuts every socket and stops the timers. */
  close(): void;
};
