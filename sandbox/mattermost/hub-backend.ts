import type { Backend } from "./backend.ts";
import type { Database } from "./database.ts";
import type { EventBus } from "./events.ts";
import type { HubBackend } from "./hub-contract.ts";
import { listMemberIds } from "./model/channel-members.ts";
import { findChannel } from "./model/channels.ts";
import { listSessionValidity } from "./model/sessions.ts";
import { findStatus, listPresent } from "./model/statuses.ts";
import { listTeamMemberIds } from "./model/teams.ts";
import { findUser } from "./model/users.ts";
import { authenticate, isSessionValid } from "./operations/authenticate.ts";
import { publishTyping } from "./operations/publish.ts";
import { comeOnline, goAway, goOffline } from "./operations/set-status.ts";
import { canInChannel, isSystemAdmin } from "./permissions.ts";

/** Keeps answers until anything is written: one event is asked about for every connection. */
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

/** The backend as the websocket hub sees it. */
export function createHubBackend(backend: Backend, events: EventBus): HubBackend {
  const { db } = backend;
  const remember = createMemory(db);
  return {
    flavour: backend.settings.flavour,
    serverVersion: backend.serverVersion,
    events,
    authenticate(token) {
      const session = authenticate(backend, token);
      return session && { userId: session.user_id, sessionId: session.id };
    },
    isSessionAlive(sessionId) {
      const session = remember("sessions", () => listSessionValidity(db)).get(sessionId);
      return session !== undefined && isSessionValid(backend, session);
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
    socketOpened: (userId) => backend.transact(() => comeOnline(backend, userId, false)),
    lastSocketClosed(userId) {
      // Sockets that are cut at the end report after the database is closed; the next start finds nobody online.
      if (db.isOpen()) backend.transact(() => goOffline(backend, userId));
    },
    setActive: (userId, isActive, isManual) =>
      backend.transact(() => (isActive ? comeOnline : goAway)(backend, userId, isManual)),
    typing: (userId, channelId, parentId) => publishTyping(backend, userId, channelId, parentId),
  };
}
