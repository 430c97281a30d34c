/** What the gateway's chat routes and frames hold, as far as the interface reads it. */

export type User = {
  id: string;
  username: string;
  first_name?: string;
  last_name?: string;
  nickname?: string;
  last_picture_update?: number;
  is_bot?: boolean;
};

export type Channel = {
  id: string;
  name: string;
  display_name: string;
  type: "O" | "P" | "D" | "G";
  header: string;
  purpose: string;
  create_at: number;
  last_post_at: number;
  is_favorite: boolean;
  is_muted: boolean;
  mention_count: number;
  message_count: number;
  last_viewed_at: number;
  order: number;
  directUser: User | null;
};

export type Reaction = { user_id: string; post_id: string; emoji_name: string };

export type Post = {
  id: string;
  channel_id: string;
  user_id: string;
  root_id: string;
  message: string;
  type: string;
  create_at: number;
  update_at: number;
  edit_at: number;
  delete_at: number;
  reply_count?: number;
  last_reply_at?: number;
  pending_post_id?: string;
  props?: Record<string, unknown>;
  metadata?: { reactions?: Reaction[] | null };
};

export type PostsAnswer = {
  posts: Post[];
  users: Record<string, User>;
  channel: {
    id: string;
    name: string;
    display_name: string;
    type: Channel["type"];
    header: string;
    purpose: string;
  };
  member: { last_viewed_at: number } | null;
  community: string | null;
  canModerate: boolean;
  hasMore: boolean;
  memberCount: number;
};

/** A post that was written here and not yet confirmed by the server. */
export type OutgoingPost = {
  pendingId: string;
  channelId: string;
  rootId: string;
  message: string;
  createdAt: number;
  state: "sending" | "waiting" | "failed";
  problem?: string;
  /** There once a request with it has begun: the server's time (ms) of the newest post that was known then. */
  triedAfter?: number;
};

export type Frame = {
  event: string;
  seq: number;
  data: Record<string, unknown>;
  broadcast: { channel_id?: string; user_id?: string; team_id?: string };
};
