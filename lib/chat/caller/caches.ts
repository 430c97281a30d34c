import { createTtlLruCache, type TtlLruCache } from "../../async/cache.ts";
import type { CommunityRole } from "../../hive/bridge.ts";
import type { Channel } from "../../mattermost/channels.ts";
import type { Post } from "../../mattermost/posts.ts";
import type { User } from "../../mattermost/users.ts";

/**
 * Values cached between requests to save Mattermost calls. None of them grants access: every action still goes to
 * Mattermost with the caller's own PAT, and Mattermost refuses a revoked one.
 */
export type Caches = {
  /** User ids by PAT hash; a PAT's user never changes. */
  userIds: TtlLruCache<string>;
  /** Owners of PATs issued by bootstrap, by PAT hash. */
  owners: TtlLruCache<PatOwner>;
  /** PATs that Mattermost accepted recently, by hash, for answers that need no Mattermost call. */
  goodPats: TtlLruCache<true>;
  /**
   * Users' choices to separate threads, by PAT hash, if Mattermost leaves the choice to them; null for no
   * choice.
   */
  collapsesThreads: TtlLruCache<boolean | null>;
  /** True if being added by others counts as a mention, by user id and then channel id. */
  addings: TtlLruCache<ReadonlyMap<string, boolean>>;
  /** Channels by post id; a post's channel never changes. */
  channelsOfPosts: TtlLruCache<string>;
  /** Names and kinds of channels, by channel id. */
  channels: TtlLruCache<ChannelBasics>;
  /** Ids of channels whose titles are fresh enough to be shown. */
  freshTitles: TtlLruCache<true>;
  /** Member counts of channels whose members could not be listed: large ones, and those the caller is not in. */
  memberCounts: TtlLruCache<number>;
  /** Channels with too many members to list at once. */
  largeChannels: TtlLruCache<true>;
  /** Users that were active when last seen, by id. */
  activeUsers: TtlLruCache<true>;
  /** Accounts bound to users, by user id; for display only, never for a moderator's action. */
  boundAccounts: TtlLruCache<string>;
  /** Names of existing chain accounts. */
  accounts: TtlLruCache<true>;
  /** Roles by `community/account`. */
  roles: TtlLruCache<CommunityRole>;
};

/** The owner of a PAT issued by bootstrap: the chat user, and the chain account that was proven then. */
export type PatOwner = { id: string; username: string };

export type ChannelBasics = Pick<Channel, "id" | "name" | "display_name" | "type" | "team_id">;

const MINUTE_MS = 60_000;
/** The maximum age of a title in search results if no open websocket reported a rename. */
const TITLE_MS = 10_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Creates empty caches. `now` is a monotonic clock in ms. */
export function createCaches(now: () => number = () => performance.now()): Caches {
  const cache = <V>(maxEntries: number, ttlMs: number) => createTtlLruCache<V>({ maxEntries, ttlMs, now });
  return {
    userIds: cache(20_000, DAY_MS),
    owners: cache(20_000, DAY_MS),
    goodPats: cache(20_000, MINUTE_MS),
    collapsesThreads: cache(20_000, MINUTE_MS / 2),
    addings: cache(20_000, DAY_MS),
    channelsOfPosts: cache(50_000, DAY_MS),
    channels: cache(20_000, MINUTE_MS),
    freshTitles: cache(20_000, TITLE_MS),
    largeChannels: cache(10_000, 60 * MINUTE_MS),
    memberCounts: cache(10_000, 60 * MINUTE_MS),
    activeUsers: cache(20_000, MINUTE_MS),
    boundAccounts: cache(20_000, MINUTE_MS),
    accounts: cache(20_000, 10 * MINUTE_MS),
    roles: cache(20_000, MINUTE_MS),
  };
}

/** Caches the names of channels from a fresh Mattermost answer. */
export function rememberChannels(caches: Caches, channels: readonly Channel[]): void {
  for (const { id, name, display_name, type, team_id } of channels) {
    caches.channels.set(id, { id, name, display_name, type, team_id });
    caches.freshTitles.set(id, true);
  }
}

/** Caches the channels of posts from a fresh Mattermost answer. */
export function rememberPosts(caches: Caches, posts: readonly Post[]): void {
  for (const { id, channel_id } of posts) caches.channelsOfPosts.set(id, channel_id);
}

/**
 * Caches which users are active, from a fresh Mattermost answer; active users can receive direct messages.
 */
export function rememberUsers(caches: Caches, users: readonly Pick<User, "id" | "delete_at">[]): void {
  for (const { id, delete_at } of users) {
    if (delete_at === 0) caches.activeUsers.set(id, true);
    else caches.activeUsers.delete(id);
  }
}
