import {
  createFreshAnswers,
  createScope,
  createStaleWhileRevalidate,
  createThrottle,
  createTtlLruCache,
  type Scope,
  type TtlLruCache,
} from "../../async/cache.ts";
import type { Config } from "../../config.ts";
import type { CommunityRole } from "../../hive/bridge.ts";
import type { HiveClient } from "../../hive/client.ts";
import type { Channel } from "../../mattermost/channels.ts";
import {
  createMattermost,
  type Follow,
  type Mattermost,
  type MattermostCall,
  type MattermostSession,
} from "../../mattermost/mattermost.ts";
import type { Post } from "../../mattermost/posts.ts";
import { createServerStatus, type ServerStatus } from "../../mattermost/server-status.ts";
import { readThreadsSetting, type ThreadsSetting } from "../../mattermost/threads.ts";
import type { User } from "../../mattermost/users.ts";
import { metrics } from "../../metrics.ts";
import type { Store } from "../../store/store.ts";
import { traceCall } from "../../tracing.ts";
import { isRefused } from "../access/explain-failure.ts";
import {
  createIdentities,
  createUserAddresses,
  type Identities,
  type UserAddresses,
} from "../access/identities.ts";
import type { Logouts, OpenSockets } from "../access/logouts.ts";
import { createOutageWatch } from "../access/outage-watch.ts";
import { createPatVault, type PatVault } from "../access/pat-vault.ts";
import { createUnlistedTokens, type UnlistedTokens } from "../access/unlisted-tokens.ts";

/** The parts that a gateway's chat shares with the rest of the gateway. */
type GatewayParts = {
  config: Config;
  store: Store;
  /** @throws CodedError `degraded` */
  requireStore(): Promise<void>;
  hive: HiveClient;
  sockets: OpenSockets;
  logouts: Logouts;
  /** Returns the time in ms since 1970 against which sign-ins are checked. */
  now(): number;
  /** Ends the login session of a proof, if the proof is one. */
  endLogin(proof: string): Promise<void>;
  /** Ends the account's login sessions from before `beforeMs`, except the one behind the proof `except`. */
  endOtherLogins(account: string, beforeMs: number, except: string | null): Promise<void>;
};

/** The facts about a sign-in that a verified access token proves. */
export type IdentityProof = {
  /** Shared by all access tokens of one sign-in: the login session's id, or the digest of the signed text. */
  id: string;
  /** The posting key, or null if an external issuer vouches for the account. */
  key: string | null;
  /** The app that signed the access token itself. */
  app?: string | undefined;
  /** When the sign-in began, in ms since 1970. */
  madeAtMs: number;
};

/** The dependencies of the chat's use cases. */
export type Gateway = GatewayParts & {
  mattermost: Mattermost;
  /** A session with the service's own token. */
  admin: MattermostSession;
  /** Returns the current status of Mattermost and its database. @throws CodedError if it does not answer */
  serverStatus(): Promise<ServerStatus>;
  /** Returns whether Mattermost currently refuses the service's own token. @throws CodedError if it does not answer */
  isAdminRefused(): Promise<boolean>;
  /** Returns whether Mattermost failed several other calls within the last seconds. */
  failedLately(): boolean;
  /** Returns whether Mattermost failed any call within the last seconds. */
  failedOnce(): boolean;
  teamId: string;
  caches: Caches;
  /** The bindings of chat users to accounts. */
  identities: Identities;
  addresses: UserAddresses;
  /** The chat tokens of accounts. */
  vault: PatVault;
  /** Chat tokens without a known sign-in. */
  unlisted: UnlistedTokens;
  /** Values that use cases store across requests. */
  own: Scope;
  /** Returns whether Mattermost separates threads, and who decides that. @throws CodedError */
  threadsSetting(): Promise<ThreadsSetting>;
  /** Discards Mattermost's cached settings, so that the next use reads them again. */
  forgetSettings(): void;
};

const CALL_TIMEOUT_MS = 10_000;
/**
 * A change in Mattermost that leaves `X-Version-Id` as it is takes effect within a minute, even if requests are rare.
 */
const SETTINGS_TTL_MS = 30_000;
const SETTINGS_MOST_MS = 60_000;
const FORGET_PAUSE_MS = 1000;
const ADMIN_PAUSE_MS = 250;

export function createGateway(parts: GatewayParts): Gateway {
  const { config, store } = parts;
  const outages = createOutageWatch();
  const mattermost = createMattermost({
    baseUrl: config.chat.baseUrl,
    timeoutMs: CALL_TIMEOUT_MS,
    onCall(call) {
      recordMattermostCall(call);
      outages.note(call);
    },
    onVersionId: (versionId) => noteVersionId(versionId),
    follow: traceMattermostCall,
  });
  const admin = mattermost.asAdmin(config.chat.adminToken.reveal());
  const threadsSetting = createStaleWhileRevalidate(() => readThreadsSetting(admin), SETTINGS_TTL_MS, {
    mostMs: SETTINGS_MOST_MS,
  });
  // Every user's socket reports the same change.
  const forgetSettings = createThrottle(threadsSetting.forget, FORGET_PAUSE_MS);
  let lastVersionId: string | undefined;
  const noteVersionId = (versionId: string) => {
    if (lastVersionId !== undefined && versionId !== lastVersionId) forgetSettings();
    lastVersionId = versionId;
  };
  threadsSetting().catch(() => {
    // Read ahead of the first listing, which reads it again and reports a failure to its caller.
  });
  return {
    ...parts,
    mattermost,
    admin,
    serverStatus: createServerStatus(mattermost, config.chat.adminToken),
    failedLately: outages.isRecent,
    failedOnce: outages.isSuspected,
    isAdminRefused: createFreshAnswers(() => isRefused(admin), ADMIN_PAUSE_MS),
    teamId: config.chat.teamId,
    caches: createCaches(),
    identities: createIdentities(store),
    addresses: createUserAddresses(config.sessionSecret),
    vault: createPatVault({ store, secret: config.sessionSecret }),
    unlisted: createUnlistedTokens(store),
    own: createScope(),
    threadsSetting,
    forgetSettings,
  };
}

/** Counts a call to Mattermost. */
function recordMattermostCall({ method, route, outcome, seconds }: MattermostCall): void {
  metrics().mattermostSeconds.labels(method, route, outcome).observe(seconds);
}

/** Traces a call to Mattermost within the request that causes it. */
export const traceMattermostCall: Follow = ({ method, route }) => {
  const call = traceCall(`${method} ${route}`, {
    "http.request.method": method,
    "url.template": route,
    "peer.service": "mattermost",
  });
  return call && { headers: { traceparent: call.traceparent }, end: call.end };
};

/**
 * Values cached between requests to save Mattermost calls. None of them grants access: every action still goes to
 * Mattermost with the caller's own PAT, and Mattermost refuses a revoked one.
 */
type Caches = {
  /** User ids by PAT hash; a PAT's user never changes. */
  userIds: TtlLruCache<string>;
  /** Owners of PATs issued by bootstrap, by PAT hash. */
  owners: TtlLruCache<PatOwner>;
  /** PATs that Mattermost accepted recently, by hash, for answers that need no call to it. */
  goodPats: TtlLruCache<true>;
  /**
   * The choices of users to separate threads, by PAT hash, where Mattermost leaves that to them; null for no choice.
   */
  collapsesThreads: TtlLruCache<boolean | null>;
  /** By user id: whether being added to a channel by others counts as a mention there, by channel id. */
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
  /** Names of existing chain accounts. */
  accounts: TtlLruCache<true>;
  /** Roles by `community/account`. */
  roles: TtlLruCache<CommunityRole>;
};

/** The owner of a PAT issued by bootstrap: the chat user, and the chain account that was proven then. */
export type PatOwner = { id: string; username: string };

export type ChannelBasics = Pick<Channel, "id" | "name" | "display_name" | "type" | "team_id">;

const MINUTE_MS = 60_000;
/** A title in search results is at most this old if no open websocket reported a rename. */
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

/** Caches which users are active, from a fresh Mattermost answer; visible users can be written to. */
export function rememberUsers(caches: Caches, users: readonly Pick<User, "id" | "delete_at">[]): void {
  for (const { id, delete_at } of users) {
    if (delete_at === 0) caches.activeUsers.set(id, true);
    else caches.activeUsers.delete(id);
  }
}
