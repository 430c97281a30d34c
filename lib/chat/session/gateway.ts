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
import { type Post, readThreadsSetting, type ThreadsSetting } from "../../mattermost/posts.ts";
import { createServerStatus, type ServerStatus } from "../../mattermost/server-status.ts";
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

/** What a gateway's chat shares with the rest of it. */
type GatewayParts = {
  config: Config;
  store: Store;
  /** @throws CodedError `degraded` */
  requireStore(): Promise<void>;
  hive: HiveClient;
  sockets: OpenSockets;
  logouts: Logouts;
  /** The time in ms since 1970 by which sign-ins are judged. */
  now(): number;
  /** Ends the login session of a proof where it is one. */
  endLogin(proof: string): Promise<void>;
  /** Ends the account's login sessions of before `beforeMs`, but the one that the proof `except` stands for. */
  endOtherLogins(account: string, beforeMs: number, except: string | null): Promise<void>;
};

/** What a verified access token says about the sign-in that it stands for. */
export type IdentityProof = {
  /** The same for every access token of one sign-in: the login session's id, or the digest of what was signed. */
  id: string;
  /** The posting key, null where an external issuer vouches. */
  key: string | null;
  /** The app that formed the access token by itself. */
  app?: string | undefined;
  /** When the sign-in began: ms since 1970. */
  madeAtMs: number;
};

/** What the chat's use cases work with. */
export type Gateway = GatewayParts & {
  mattermost: Mattermost;
  /** Access with the service's own token. */
  admin: MattermostSession;
  /** How Mattermost and its database are, now. @throws CodedError when it gives no answer */
  serverStatus(): Promise<ServerStatus>;
  /** Whether Mattermost refuses the service's own token, now. @throws CodedError when it gives no answer */
  isAdminRefused(): Promise<boolean>;
  /** Whether Mattermost failed several other calls within the last seconds. */
  failedLately(): boolean;
  /** Whether Mattermost failed any call within the last seconds. */
  failedOnce(): boolean;
  teamId: string;
  caches: Caches;
  /** Which chat user is which account's. */
  identities: Identities;
  addresses: UserAddresses;
  /** The chat tokens of accounts. */
  vault: PatVault;
  /** Its tokens of which no sign-in is known. */
  unlisted: UnlistedTokens;
  /** What use cases keep from request to request. */
  own: Scope;
  /** Whether Mattermost keeps threads apart, and who decides that. @throws CodedError */
  threadsSetting(): Promise<ThreadsSetting>;
  /** Reads Mattermost's settings again when they are next asked for. */
  forgetSettings(): void;
};

const CALL_TIMEOUT_MS = 10_000;
/** What changed at Mattermost without another `X-Version-Id` is seen within a minute, also by who asks rarely. */
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
  // Each user's socket tells of one change.
  const forgetSettings = createThrottle(threadsSetting.forget, FORGET_PAUSE_MS);
  let lastVersionId: string | undefined;
  const noteVersionId = (versionId: string) => {
    if (lastVersionId !== undefined && versionId !== lastVersionId) forgetSettings();
    lastVersionId = versionId;
  };
  threadsSetting().catch(() => {
    // Read ahead of the first listing, which asks again and tells its caller.
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

/** Follows a call to Mattermost in the trace of the request that it is made for. */
export const traceMattermostCall: Follow = ({ method, route }) => {
  const call = traceCall(`${method} ${route}`, {
    "http.request.method": method,
    "url.template": route,
    "peer.service": "mattermost",
  });
  return call && { headers: { traceparent: call.traceparent }, end: call.end };
};

/**
 * What the gateway remembers between requests to spare Mattermost calls. None of it grants anything: every act still goes
 * to Mattermost with the caller's own PAT, which refuses one that was revoked.
 */
type Caches = {
  /** User ids by hash of PAT; a PAT's user never changes. */
  userIds: TtlLruCache<string>;
  /** Who came in by bootstrap, by hash of PAT. */
  owners: TtlLruCache<PatOwner>;
  /** PATs that Mattermost took a moment ago, by hash: for what the gateway gives without asking it. */
  goodPats: TtlLruCache<true>;
  /** Whether somebody chose to keep threads apart, by hash of PAT, where Mattermost leaves that to its users; null for no choice. */
  collapsesThreads: TtlLruCache<boolean | null>;
  /** By user id, of channels that others put the user into: whether that counts as a mention there. */
  addings: TtlLruCache<ReadonlyMap<string, boolean>>;
  /** Channels by post id; a post's channel never changes. */
  channelsOfPosts: TtlLruCache<string>;
  /** What a channel is called and of what kind it is, by channel id. */
  channels: TtlLruCache<ChannelBasics>;
  /** Member counts of channels whose members could not be listed: large ones, and those the caller is no member of. */
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
    goodPats: cache(20_000, MINUTE_MS),
    collapsesThreads: cache(20_000, MINUTE_MS / 2),
    addings: cache(20_000, DAY_MS),
    channelsOfPosts: cache(50_000, DAY_MS),
    channels: cache(20_000, MINUTE_MS),
    largeChannels: cache(10_000, 60 * MINUTE_MS),
    memberCounts: cache(10_000, 60 * MINUTE_MS),
    activeUsers: cache(20_000, MINUTE_MS),
    accounts: cache(20_000, 10 * MINUTE_MS),
    roles: cache(20_000, MINUTE_MS),
  };
}

/** Notes what channels are called, as just learned from Mattermost. */
export function rememberChannels(caches: Caches, channels: readonly Channel[]): void {
  for (const { id, name, display_name, type, team_id } of channels)
    caches.channels.set(id, { id, name, display_name, type, team_id });
}

/** Notes in which channel posts are, as just learned from Mattermost. */
export function rememberPosts(caches: Caches, posts: readonly Post[]): void {
  for (const { id, channel_id } of posts) caches.channelsOfPosts.set(id, channel_id);
}

/** Notes who is active, as just learned from Mattermost: whom one sees one may write to. */
export function rememberUsers(caches: Caches, users: readonly Pick<User, "id" | "delete_at">[]): void {
  for (const { id, delete_at } of users) {
    if (delete_at === 0) caches.activeUsers.set(id, true);
    else caches.activeUsers.delete(id);
  }
}
