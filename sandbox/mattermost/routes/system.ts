import { type Context, param, readStrings } from "../context.ts";
import { refuse } from "../errors.ts";
import { countActiveUsers } from "../model/users.ts";
import { isKnownEmoji } from "../operations/find-mentions.ts";
import { MAX_MESSAGE_RUNES } from "../operations/store-post.ts";
import { demandPermission, roles } from "../permissions.ts";
import { publicly, type Route, route } from "../router.ts";

function getPing(): unknown {
  return {
    status: "OK",
    AndroidLatestVersion: "",
    AndroidMinVersion: "",
    IosLatestVersion: "",
    IosMinVersion: "",
  };
}

function getConfig(context: Context): unknown {
  if (context.query.get("format") !== "old") refuse("api.config.client.old_format.app_error");
  const { backend, session } = context;
  const version = backend.serverVersion.split(".").slice(0, 3).join(".");
  const open = {
    Version: version,
    BuildNumber: version,
    BuildHash: "",
    BuildEnterpriseReady: "false",
    SiteName: "Hivegate sandbox",
    SiteURL: backend.settings.siteUrl,
    WebsocketURL: "",
    WebsocketPort: "",
    WebsocketSecurePort: "",
    DefaultClientLocale: "en",
    EnableOpenServer: String(backend.settings.enableOpenServer),
    EnableSignUpWithEmail: "true",
    EnableSignInWithEmail: "true",
    EnableSignInWithUsername: "true",
    EnableUserCreation: "true",
    PasswordMinimumLength: "8",
    CollapsedThreads: backend.isV11 ? "always_on" : "disabled",
  };
  if (!session) return open;
  return {
    ...open,
    EnableUserAccessTokens: String(backend.settings.enableUserAccessTokens),
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
    FeatureFlagWebSocketEventScope: String(backend.isV11),
  };
}

function getLicense(context: Context): unknown {
  if (context.query.get("format") !== "old") refuse("api.license.client.old_format.app_error");
  return { IsLicensed: "false" };
}

function postRoleNames(context: Context): unknown {
  return readStrings(context, "rolenames").flatMap((name) => {
    const role = roles.get(name);
    if (!role) return [];
    return {
      id: Buffer.from(name).toString("hex").padEnd(26, "0").slice(0, 26),
      name,
      display_name: role.displayName,
      description: "",
      create_at: 0,
      update_at: 0,
      delete_at: 0,
      permissions: [...role.grants],
      scheme_managed: true,
      built_in: true,
    };
  });
}

/** Upgrades never come here: the websocket hub takes them. */
function getWebsocket(): unknown {
  return refuse("api.web_socket.connect.upgrade.app_error");
}

/** No custom emoji can be made here, so there is none to list or to find; the system's own are no resources. */
function getEmojiByName(context: Context): unknown {
  return refuse(
    isKnownEmoji(param(context, "emoji_name"))
      ? "app.emoji.get.no_result"
      : "app.emoji.get_by_name.no_result",
  );
}

function getLimits(context: Context): unknown {
  demandPermission(context, "manage_system");
  const { maxUsers } = context.backend.settings;
  const limit = Number.isFinite(maxUsers) ? maxUsers : 0;
  return {
    activeUserCount: countActiveUsers(context.backend.db),
    maxUsersLimit: limit,
    maxUsersHardLimit: limit,
  };
}

export const systemRoutes: Route[] = [
  route("GET", "/system/ping", getPing, publicly),
  route("GET", "/config/client", getConfig, publicly),
  route("GET", "/license/client", getLicense, publicly),
  route("GET", "/websocket", getWebsocket, publicly),
  route("POST", "/roles/names", postRoleNames),
  route("GET", "/emoji", () => []),
  route("GET", "/emoji/name/{emoji_name}", getEmojiByName),
  route("GET", "/limits/server", getLimits),
];
