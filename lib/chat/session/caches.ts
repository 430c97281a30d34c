import { createTtlLruCache, type TtlLruCache } from "../../async/cache.ts";
import type { CommunityRole } from "../../hive/bridge.ts";
import type { Channel } from "../../mattermost/channels.ts";
import type { Post } from "../../mattermost/posts.ts";
import type { User } from "../../mattermost/users.ts";

/**
 * What the gateway remembers between requests to spare backend calls. None of it grants anything: every act still goes
 * to the backend with the caller's own PAT, which refuses one that was revoked.
 */
export type Caches = {
  /** User ids by hash of PAT; a PAT's user never changes. */
  userIds: TtlLruCache<string>;
  /** Who came in by bootstrap, by hash of PAT. */
  owners: TtlLruCache<PatOwner>;
  /** Channels by post id; a post's channel never changes. */
  channelsOfPosts: TtlLruCache<string>;
  /** What a channel is called and of what kind it is, by channel id. */
  channels: TtlLruCache<ChannelBasics>;
  /** Of channels that could not be listed: large ones, and those that the asker is no member of. */
  memberCounts: TtlLruCache<number>;
  /** Channels with too many members to list them at once. */
  largeChannels: TtlLruCache<true>;
  /** Users that were active when they were last seen, by id. */
  activeUsers: TtlLruCache<true>;
  /** Names that the chain has. */
  accounts: TtlLruCache<true>;
  /** Roles by `community/account`. */
  roles: TtlLruCache<CommunityRole>;
};

/** Whom a bootstrap gave a PAT to: the chat user, and the chain account that was proven then. */
export type PatOwner = { id: string; username: string };

export type ChannelBasics = Pick<Channel, "id" | "name" | "display_name" | "type" | "team_id">;

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Nothing remembered yet; `now` is a monotonic clock in ms. */
export function createCaches(now: () => number = () => performance.now()): Caches {
  const cache = <V>(maxEntries: number, ttlMs: number) => createTtlLruCache<V>({ maxEntries, ttlMs, now });
  return {
    userIds: cache(20_000, DAY_MS),
    owners: cache(20_000, DAY_MS),
    channelsOfPosts: cache(50_000, DAY_MS),
    channels: cache(20_000, 10 * MINUTE_MS),
    largeChannels: cache(10_000, 60 * MINUTE_MS),
    memberCounts: cache(10_000, 60 * MINUTE_MS),
    activeUsers: cache(20_000, 10 * MINUTE_MS),
    accounts: cache(20_000, 10 * MINUTE_MS),
    roles: cache(20_000, MINUTE_MS),
  };
}

/** Notes what channels are called, as just learned from the backend. */
export function rememberChannels(caches: Caches, channels: readonly Channel[]): void {
  for (const { id, name, display_name, type, team_id } of channels)
    caches.channels.set(id, { id, name, display_name, type, team_id });
}

/** Notes in which channel posts are, as just learned from the backend. */
export function rememberPosts(caches: Caches, posts: readonly Post[]): void {
  for (const { id, channel_id } of posts) caches.channelsOfPosts.set(id, channel_id);
}

/** Notes who is active, as just learned from the backend: whom one sees one may write to. */
export function rememberUsers(caches: Caches, users: readonly Pick<User, "id" | "delete_at">[]): void {
  for (const { id, delete_at } of users) {
    if (delete_at === 0) caches.activeUsers.set(id, true);
    else caches.activeUsers.delete(id);
  }
}
