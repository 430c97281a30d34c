import { z } from "zod";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { createMattermost, type Mattermost, type MattermostCaller } from "../mattermost/mattermost.ts";
import {
  rateLimitAdvice,
  readServerStatus,
  readUserLimit,
  standingOf,
  userLimitAdvice,
} from "../mattermost/server-status.ts";
import { readOwnUser } from "../mattermost/users.ts";
import type { Secret } from "../secret.ts";
import { type Finding, fault, fine, warning } from "./examine-nodes.ts";

const CALL_TIMEOUT_MS = 10_000;

const Team = z.object({ display_name: z.string(), delete_at: z.number().default(0) });
const TeamStats = z.object({ active_member_count: z.number() });
const ServerConfig = z.object({
  TeamSettings: z.object({ MaxUsersPerTeam: z.number() }),
  RateLimitSettings: z
    .object({
      Enable: z.boolean().default(false),
      PerSec: z.number().default(0),
      VaryByUser: z.boolean().default(false),
    })
    .default({ Enable: false, PerSec: 0, VaryByUser: false }),
});
/** The share of the team's limit above which to warn, as for the server's users. */
const NEARLY_FULL = 0.8;
/** The server returns its settings as strings. */
const ServerSettings = z.object({
  EnableUserAccessTokens: z.string(),
  EnableUserCreation: z.string().default("true"),
});

/**
 * Checks whether the gateway can work with Mattermost: the server and its database are reachable, the gateway
 * has admin rights, the team exists, tokens are enabled, and there is room for users.
 */
export async function examineMattermost({ chat }: Config): Promise<Finding[]> {
  const mattermost = createMattermost({ baseUrl: chat.baseUrl, timeoutMs: CALL_TIMEOUT_MS });
  // Called as a user, not as the service, because a refused token is a finding that must be reported.
  const caller = mattermost.as(chat.adminToken.reveal());
  try {
    const reachable = await examine("Mattermost", () => ping(mattermost, chat.adminToken), {
      any: "Start the Mattermost server, or correct CHAT_BASE_URL: it ends in /api/v4.",
    });
    if (!reachable.isFine) return [reachable];
    const token = await examine("CHAT_ADMIN_TOKEN", () => examineToken(caller), {
      unauthorized:
        "Create a personal access token of a system admin (Profile > Security) and set CHAT_ADMIN_TOKEN. A good one is refused while System Console > Integrations > Enable Personal Access Tokens (EnableUserAccessTokens) is off.",
      any: "Check the Mattermost server's log.",
    });
    if (!token.isFine) return [reachable, token];
    return [
      reachable,
      token,
      await examine("CHAT_TEAM_ID", () => examineTeam(caller, chat.teamId), {
        any: "Set CHAT_TEAM_ID to the id of an existing team (System Console > Teams).",
      }),
      await examine("server settings", () => examineSettings(caller), {
        any: "Check the Mattermost server's log.",
      }),
      await examine("rate limits", () => examineRateLimits(caller), {
        any: "Check the Mattermost server's log.",
      }),
      await examine("users", () => examineUsers(caller), { any: "Check the Mattermost server's log." }),
      await examine("room in the team", () => examineRoom(caller, chat.teamId), {
        any: "Check the Mattermost server's log.",
      }),
    ];
  } finally {
    await mattermost.close();
  }
}

type Advice = { any: string } & { [code: string]: string };

async function examine(subject: string, ask: () => Promise<Finding>, advice: Advice): Promise<Finding> {
  try {
    return await ask();
  } catch (error) {
    const code = error instanceof CodedError ? error.code : "internal";
    if (code === "overloaded") return fault(subject, "limits the gateway's requests", rateLimitAdvice);
    return fault(subject, code, advice[code] ?? advice.any);
  }
}

async function ping(mattermost: Mattermost, adminToken: Secret): Promise<Finding> {
  const { isServing, isDatabaseUp } = await readServerStatus(mattermost, adminToken);
  if (isServing) return fine("Mattermost", "answers, and its database is up");
  return isDatabaseUp
    ? fault("Mattermost", "is not healthy", "Check the Mattermost server's log.")
    : fault(
        "Mattermost",
        "is up, but its database is not",
        "Start Mattermost's PostgreSQL, or correct SqlSettings.DataSource; the Mattermost server's log says more.",
      );
}

async function examineToken(caller: MattermostCaller): Promise<Finding> {
  const { username, roles } = await readOwnUser(caller);
  return roles.split(" ").includes("system_admin")
    ? fine("CHAT_ADMIN_TOKEN", `belongs to ${username}, a system admin`)
    : fault(
        "CHAT_ADMIN_TOKEN",
        `belongs to ${username}, who is not a system admin`,
        "Give that user the role system_admin, or use the token of a user who has it.",
      );
}

async function examineTeam(caller: MattermostCaller, teamId: string): Promise<Finding> {
  const team = await caller.call("GET", `/teams/${teamId}`, Team);
  return team.delete_at === 0
    ? fine("CHAT_TEAM_ID", `is the team "${team.display_name}"`)
    : fault("CHAT_TEAM_ID", "names an archived team", "Restore the team, or set CHAT_TEAM_ID to another.");
}

async function examineSettings(caller: MattermostCaller): Promise<Finding> {
  const settings = await caller.call("GET", "/config/client?format=old", ServerSettings);
  if (settings.EnableUserAccessTokens !== "true")
    return fault(
      "server settings",
      "personal access tokens are off",
      "Turn on System Console > Integrations > Enable Personal Access Tokens (ServiceSettings.EnableUserAccessTokens).",
    );
  return settings.EnableUserCreation === "true"
    ? fine("server settings", "personal access tokens are on")
    : fault(
        "server settings",
        "no users can be created",
        "Turn on System Console > Authentication > Signup > Enable Account Creation.",
      );
}

/**
 * Examines the rate limits. By default Mattermost limits each address, and all users of the gateway share one
 * address.
 */
async function examineRateLimits(caller: MattermostCaller): Promise<Finding> {
  const { RateLimitSettings: limits } = await caller.call("GET", "/config", ServerConfig);
  if (!limits.Enable) return fine("rate limits", "are off");
  const detail = `allow ${limits.PerSec} requests a second`;
  return limits.VaryByUser
    ? fine("rate limits", `${detail} for each user`)
    : warning("rate limits", `${detail} for all users of the gateway`, rateLimitAdvice);
}

async function examineUsers(caller: MattermostCaller): Promise<Finding> {
  const users = await readUserLimit(caller);
  if (users === null) return fine("users", "have no limit that the server reports");
  const standing = standingOf(users);
  const detail = `${users.active} of ${users.limit} allowed users are active`;
  if (standing === "roomy") return fine("users", detail);
  return standing === "full"
    ? fault("users", `${detail}: new users cannot sign in`, userLimitAdvice)
    : warning("users", detail, userLimitAdvice);
}

/**
 * Examines whether the team has room. A team accepts 50 members unless the limit was raised, whatever the
 * server's own limit.
 */
async function examineRoom(caller: MattermostCaller, teamId: string): Promise<Finding> {
  const subject = "room in the team";
  const [{ active_member_count: members }, { TeamSettings }] = await Promise.all([
    caller.call("GET", `/teams/${teamId}/stats`, TeamStats),
    caller.call("GET", "/config", ServerConfig),
  ]);
  const most = TeamSettings.MaxUsersPerTeam;
  const detail = `${members} of ${most} allowed members have joined`;
  const advice = "Raise System Console > Site Configuration > Users and Teams > Max Users Per Team.";
  if (members >= most) return fault(subject, `${detail}: new users cannot join`, advice);
  return members >= most * NEARLY_FULL ? warning(subject, detail, advice) : fine(subject, detail);
}
