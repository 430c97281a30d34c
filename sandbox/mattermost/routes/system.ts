import { z } from "zod";
import { type Context, callerId, readBody } from "../context.ts";
import type { Database } from "../database.ts";
import { refuse } from "../errors.ts";
import { countActiveUsers, countUsers } from "../model/users.ts";
import { MAX_MESSAGE_RUNES } from "../operations/store-post.ts";
import { can, demandPermission } from "../permissions.ts";
import { withHeaders } from "../require.ts";
import { publicly, type Route, route } from "../router.ts";

/** Answers that the server runs. The file store is always available, because pictures are in the database. */
function getPing(context: Context): unknown {
  const { mattermost, query } = context;
  const versions = {
    AndroidLatestVersion: "",
    AndroidMinVersion: "",
    IosLatestVersion: "",
    IosMinVersion: "",
  };
  const search = mattermost.isV11 ? { ActiveSearchBackend: "database" } : {};
  if (query.get("get_server_status") !== "true") return { status: OK, ...versions, ...search };
  const database_status = takesWrites(mattermost.db) ? OK : "UNHEALTHY";
  const parts = { status: database_status, database_status, filestore_status: OK };
  const isAdmin = can(mattermost.db, callerId(context), "manage_system");
  const root = mattermost.isV11 && isAdmin ? { root_status: false } : {};
  const answer = withHeaders({ ...versions, ...search, ...parts, ...root }, parts);
  const isMild = mattermost.isV11 && query.get("use_rest_semantics") === "true";
  return database_status === OK || isMild ? answer : { ...answer, status: 500 };
}

const OK = "OK";

function takesWrites(db: Database): boolean {
  const name = "health check";
  try {
    db.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, OK);
    db.run("DELETE FROM settings WHERE name = ?", name);
    return true;
  } catch {
    // The failure is part of the answer to this request.
    return false;
  }
}

function getConfig(context: Context): unknown {
  if (context.query.get("format") !== "old") refuse("api.config.client.old_format.app_error");
  const { mattermost, session } = context;
  const version = mattermost.serverVersion.split(".").slice(0, 3).join(".");
  const open = {
    Version: version,
    BuildNumber: version,
    BuildHash: "",
    BuildEnterpriseReady: "false",
    SiteName: "Hivegate sandbox",
    SiteURL: mattermost.settings.siteUrl,
    WebsocketURL: "",
    WebsocketPort: "",
    WebsocketSecurePort: "",
    DefaultClientLocale: "en",
    EnableOpenServer: String(mattermost.settings.enableOpenServer),
    EnableSignUpWithEmail: "true",
    EnableSignInWithEmail: "true",
    EnableSignInWithUsername: "true",
    EnableUserCreation: "true",
    NoAccounts: String(countUsers(mattermost.db) === 0),
    PasswordMinimumLength: "8",
    CollapsedThreads: mattermost.isV11 ? "always_on" : "disabled",
  };
  if (!session) return open;
  return {
    ...open,
    EnableUserAccessTokens: String(mattermost.settings.enableUserAccessTokens),
    MaxPostSize: String(MAX_MESSAGE_RUNES),
    EnableUserTypingMessages: "true",
    TimeBetweenUserTypingUpdatesMilliseconds: "5000",
    EnableChannelViewedMessages: "true",
    TeammateNameDisplay: "username",
    EnableCustomEmoji: "false",
    PostEditTimeLimit: "-1",
    EnableUserStatuses: "true",
    ThreadAutoFollow: "true",
    EnableReliableWebSockets: "true",
    FeatureFlagWebSocketEventScope: String(mattermost.isV11),
  };
}

/** Upgrades never reach this route, because the websocket hub handles them. */
function getWebsocket(): unknown {
  return refuse("api.web_socket.connect.upgrade.app_error");
}

/** The first warning level of an unlicensed server, as a fraction of its limit. */
const SOFT_LIMIT = 0.8;

function getLimits(context: Context): unknown {
  const { db, settings, isV11 } = context.mattermost;
  if (!isV11) refuse("api.context.404.app_error");
  const isTold = can(db, callerId(context), "manage_system");
  const limit = isTold && Number.isFinite(settings.maxUsers) ? settings.maxUsers : 0;
  return {
    maxUsersLimit: Math.floor(limit * SOFT_LIMIT),
    maxUsersHardLimit: limit,
    activeUserCount: isTold ? countActiveUsers(db) : 0,
    postHistoryLimit: 0,
    lastAccessiblePostTime: 0,
  };
}

export const systemRoutes: Route[] = [
  route("GET", "/system/ping", getPing, publicly),
  route("GET", "/config/client", getConfig, publicly),
  route("GET", "/websocket", getWebsocket, publicly),
  route("GET", "/limits/server", getLimits),
];

const ConfigPatch = z.object({
  ServiceSettings: z.object({ EnableUserAccessTokens: z.boolean().optional() }).optional(),
  TeamSettings: z
    .object({
      EnableOpenServer: z.boolean().optional(),
      MaxUsersPerTeam: z.number().int().positive().optional(),
    })
    .optional(),
  PrivacySettings: z.object({ ShowEmailAddress: z.boolean().optional() }).optional(),
});

/** Answers with the server settings that the sandbox supports. */
function getServerConfig(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { enableUserAccessTokens, enableOpenServer, maxUsersPerTeam, showEmailAddress } =
    context.mattermost.settings;
  return {
    ServiceSettings: { EnableUserAccessTokens: enableUserAccessTokens },
    TeamSettings: { EnableOpenServer: enableOpenServer, MaxUsersPerTeam: maxUsersPerTeam },
    PrivacySettings: { ShowEmailAddress: showEmailAddress },
  };
}

/** Changes settings, which last until the server stops. */
function putPatch(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { settings } = context.mattermost;
  const {
    ServiceSettings: service,
    TeamSettings: team,
    PrivacySettings: privacy,
  } = readBody(context, ConfigPatch, "config");
  settings.enableUserAccessTokens = service?.EnableUserAccessTokens ?? settings.enableUserAccessTokens;
  settings.enableOpenServer = team?.EnableOpenServer ?? settings.enableOpenServer;
  settings.showEmailAddress = privacy?.ShowEmailAddress ?? settings.showEmailAddress;
  settings.maxUsersPerTeam = team?.MaxUsersPerTeam ?? settings.maxUsersPerTeam;
  context.mattermost.publish({ event: "config_changed", data: { config: {} }, broadcast: {} });
  return getServerConfig(context);
}

export const configRoutes: Route[] = [
  route("GET", "/config", getServerConfig),
  route("PUT", "/config/patch", putPatch),
];
