import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMattermost, type Mattermost, type Settings } from "./context.ts";
import { type Database, openDatabase } from "./database.ts";
import { createEventBus, type EventBus, type Flavour, type MattermostForHub } from "./event-bus.ts";
import { createClock } from "./id.ts";
import { findChannel, listMemberIds } from "./model/channels.ts";
import { newestPostTime } from "./model/posts.ts";
import { listTeamMemberIds } from "./model/teams.ts";
import { findUser, listSessionValidity } from "./model/users.ts";
import { authenticate, isSessionValid } from "./operations/authenticate.ts";
import { publishTyping } from "./operations/publish.ts";
import {
  comeOnline,
  findStatus,
  goAway,
  goOffline,
  listPresent,
  resetStatuses,
} from "./operations/set-status.ts";
import { canInChannel, isSystemAdmin } from "./permissions.ts";
import { allRoutes } from "./routes/all-routes.ts";
import { ensureOperator, nobody, seedChat, seededPeople } from "./seed.ts";
import { createListener, type RequestInfo } from "./serve.ts";
import { attachWebsocket } from "./websocket/attach.ts";

type WebsocketLimits = NonNullable<NonNullable<Parameters<typeof attachWebsocket>[2]>["limits"]>;

export type MattermostOptions = {
  /** The port; 0 picks a free one. */
  port: number;
  dataDir: string;
  /** Adds people, channels and messages on the first start. */
  seed?: boolean;
  /** Maximum number of active users (250 on an unlicensed v11); by default unlimited. */
  maxUsers?: number;
  /** The version to imitate: v11 (default) or 7.0. */
  flavour?: Flavour;
  enableUserAccessTokens?: boolean;
  /** Allows anyone to sign up without an invitation. */
  enableOpenServer?: boolean;
  showEmailAddress?: boolean;
  /** Maximum number of users in a team (50 on a new server); by default unlimited. */
  maxUsersPerTeam?: number;
  /** Starts without an admin, a token and a team, like a new installation. */
  isBare?: boolean;
  /** Returns milliseconds since 1970. */
  now?: () => number;
  /** Called for every answered call. */
  onRequest?: (info: RequestInfo) => void;
  /** Called with faults that a client only sees as a 500. */
  onFault?: (error: unknown) => void;
  websocketLimits?: Partial<WebsocketLimits>;
};

export type RunningMattermost = {
  /** The address, which ends in `/api/v4`. */
  url: string;
  port: number;
  /** The personal access token of a system admin. */
  adminToken: string;
  adminId: string;
  teamId: string;
  /** The chat users created for chain accounts on the first start. */
  people: Array<{ name: string; userId: string }>;
  /** Drops all connections and closes the database. */
  close(): Promise<void>;
};

const HOST = "127.0.0.1";
const KEEP_ALIVE_MS = 65_000;

/** Starts the sandbox's Mattermost on a loopback port with its state in `dataDir`. */
export async function startMattermost(options: MattermostOptions): Promise<RunningMattermost> {
  const now = options.now ?? Date.now;
  const db = openDatabase(options.dataDir);
  const events = createEventBus();
  const settings: Settings = {
    flavour: options.flavour ?? "v11",
    maxUsers: options.maxUsers ?? Number.POSITIVE_INFINITY,
    enableUserAccessTokens: options.enableUserAccessTokens ?? true,
    enableOpenServer: options.enableOpenServer ?? false,
    maxUsersPerTeam: options.maxUsersPerTeam ?? Number.MAX_SAFE_INTEGER,
    showEmailAddress: options.showEmailAddress ?? true,
    siteUrl: "",
  };
  const mattermost = createMattermost({
    db,
    clock: createClock(now, newestPostTime(db)),
    settings,
    deliver: events.publish,
  });
  resetStatuses(db);
  const operator = options.isBare ? nobody : await ensureOperator(mattermost);
  if (options.seed) await seedChat(mattermost, operator);

  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    createListener({
      mattermost,
      routes: allRoutes,
      onRequest: options.onRequest ?? (() => {}),
      onFault: options.onFault ?? (() => {}),
    }),
  );
  const hub = attachWebsocket(server, createMattermostForHub(mattermost, events), {
    now,
    ...(options.websocketLimits && { limits: options.websocketLimits }),
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  settings.siteUrl = `http://${HOST}:${port}`;

  return {
    url: `${settings.siteUrl}/api/v4`,
    port,
    ...operator,
    people: options.seed ? seededPeople(mattermost) : [],
    async close() {
      hub.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      db.close();
    },
  };
}

/**
 * Creates a cache of answers until the next write, because each event asks the same questions once per
 * connection.
 */
function createMemory(db: Database): <T>(key: string, read: () => T) => T {
  const answers = new Map<string, unknown>();
  let version = db.version();
  return <T>(key: string, read: () => T) => {
    if (db.version() !== version) answers.clear();
    version = db.version();
    if (!answers.has(key)) answers.set(key, read());
    return answers.get(key) as T;
  };
}

/** Mattermost 11 records departures in batches, without checking whether the user returned. */
const OFFLINE_BATCH_MS = 500;

/** Creates the view of Mattermost that the websocket hub uses. */
export function createMattermostForHub(mattermost: Mattermost, events: EventBus): MattermostForHub {
  const { db } = mattermost;
  const remember = createMemory(db);
  return {
    flavour: mattermost.settings.flavour,
    serverVersion: mattermost.serverVersion,
    events,
    authenticate(token) {
      const session = authenticate(mattermost, token);
      return session && { userId: session.user_id, sessionId: session.id };
    },
    isSessionAlive(sessionId) {
      const session = remember("sessions", () => listSessionValidity(db)).get(sessionId);
      return session !== undefined && isSessionValid(mattermost, session);
    },
    isUserActive: (userId) => findUser(db, userId)?.delete_at === 0,
    isSystemAdmin: (userId) => isSystemAdmin(db, userId),
    isChannelMember: (userId, channelId) =>
      remember(`channel ${channelId}`, () => new Set(listMemberIds(db, channelId))).has(userId),
    isTeamMember: (userId, teamId) =>
      remember(`team ${teamId}`, () => new Set(listTeamMemberIds(db, teamId))).has(userId),
    canPost(userId, channelId) {
      const channel = findChannel(db, channelId);
      return channel?.delete_at === 0 && canInChannel(db, userId, channel, "create_post");
    },
    status: (userId) => findStatus(db, userId),
    statuses: () => listPresent(db),
    socketOpened: (userId) => mattermost.transact(() => comeOnline(mattermost, userId, false)),
    lastSocketClosed(userId) {
      const end = () => {
        // Sockets dropped at shutdown report after the database was closed. The next start resets all
        // statuses.
        if (db.isOpen()) mattermost.transact(() => goOffline(mattermost, userId));
      };
      if (mattermost.settings.flavour === "v11") setTimeout(end, OFFLINE_BATCH_MS).unref();
      else end();
    },
    setActive: (userId, isActive, isManual) =>
      mattermost.transact(() => (isActive ? comeOnline : goAway)(mattermost, userId, isManual)),
    typing: (userId, channelId, parentId) => publishTyping(mattermost, userId, channelId, parentId),
  };
}
