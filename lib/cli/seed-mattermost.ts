import { z } from "zod";
import { type Ask, awaitMattermost, callsAs, demand, refusal, SeedError } from "./mattermost-calls.ts";
import { readAdmin, readSettingsFile, writeAdmin, writeSettingsFile } from "./seeded-files.ts";

// Chain accounts cannot have this name, because of the underscore.
const ADMIN_NAME = "hivegate_admin";
const TEAM = { name: "hivegate", display_name: "Hivegate", type: "I" };

const User = z.object({ id: z.string(), username: z.string(), roles: z.string() });
const Team = z.object({ id: z.string(), delete_at: z.number().default(0) });
const Token = z.object({ token: z.string() });

export type Seeding = {
  /** Ends in `/api/v4`. */
  baseUrl: string;
  /** The file for the first admin's password, which the gateway does not need. */
  adminFile: string;
  /** The file that receives the gateway's settings. */
  settingsFile: string;
  /** Existing settings, whose token and team are retained if they still work. */
  given: Readonly<Record<string, string | undefined>>;
  waitMs: number;
  say: (line: string) => void;
};

/**
 * Prepares a Mattermost for the gateway: first admin, their access token, settings, team. Existing parts stay.
 * @throws SeedError
 */
export async function seedMattermost(seeding: Seeding): Promise<void> {
  const { baseUrl, settingsFile, say } = seeding;
  await awaitMattermost(baseUrl, seeding.waitMs, say);
  // An empty setting counts as missing.
  const given = Object.entries(seeding.given).filter(([, value]) => value);
  const present = { ...readSettingsFile(settingsFile), ...Object.fromEntries(given) };
  // A token is sent only to the server that it was created for.
  const isTheirs = [undefined, baseUrl].includes(present.CHAT_BASE_URL?.replace(/\/$/, ""));
  const known = isTheirs ? await readAdminToken(baseUrl, present.CHAT_ADMIN_TOKEN) : null;
  const admin = callsAs(baseUrl, known ?? (await logIn(seeding)));
  await setServerUp(admin, say);
  const token = known ?? (await createToken(admin, say));
  const team = await ensureTeam(admin, present.CHAT_TEAM_ID, say);
  writeSettingsFile(settingsFile, {
    CHAT_BASE_URL: baseUrl,
    CHAT_ADMIN_TOKEN: token,
    CHAT_TEAM_ID: team,
  });
  if (!known) await admin("POST", "/users/logout");
  say(`The gateway's settings stand in ${settingsFile}`);
}

/**
 * Returns the token if it belongs to a system admin, or null if it does not or was lost with the server's
 * data.
 */
async function readAdminToken(baseUrl: string, token: string | undefined): Promise<string | null> {
  if (!token) return null;
  const { status, body } = await callsAs(baseUrl, token)("GET", "/users/me");
  return status === 200 && isSystemAdmin(User.parse(body)) ? token : null;
}

const isSystemAdmin = ({ roles }: z.infer<typeof User>) => roles.split(" ").includes("system_admin");

/** Returns the token of a Mattermost session of the first admin, who is created if the server has no users. */
async function logIn({ baseUrl, adminFile, say }: Seeding): Promise<string> {
  const stranger = callsAs(baseUrl);
  const kept = readAdmin(adminFile);
  // A password is sent only to the server that it was created for.
  if (kept && kept.server !== baseUrl)
    throw new SeedError(
      "other_server",
      `${adminFile} belongs to the admin of ${kept.server}, not of ${baseUrl}. Name another file for this server: --admin FILE.`,
    );
  const session = kept && (await openSession(stranger, kept.username, kept.password));
  if (session) return session;
  const config = await stranger("GET", "/config/client?format=old");
  if ((config.body as { NoAccounts?: unknown } | null)?.NoAccounts !== "true")
    throw new SeedError(
      "has_other_users",
      `The server at ${baseUrl} has users already, and ${adminFile} does not open it. Set CHAT_ADMIN_TOKEN to the personal access token of a system admin there, or give the server an empty database.`,
    );
  const { username, password } = kept ?? writeAdmin(adminFile, baseUrl, ADMIN_NAME);
  const email = `${username}@hivegate.invalid`;
  demand(await stranger("POST", "/users", { username, email, password }), "make the first admin");
  say(`Made the admin ${username}; the password stands in ${adminFile}`);
  const first = await openSession(stranger, username, password);
  if (!first) throw refusal("let the new admin in", 401);
  return first;
}

async function openSession(ask: Ask, username: string, password: string): Promise<string | null> {
  const { status, token } = await ask("POST", "/users/login", { login_id: username, password });
  return status === 200 ? token : null;
}

async function createToken(admin: Ask, say: (line: string) => void): Promise<string> {
  const answer = await admin("POST", "/users/me/tokens", { description: "Hivegate gateway" });
  say("Made the gateway's access token");
  return Token.parse(demand(answer, "make an access token")).token;
}

/** Returns the id of the configured team or, if that is not valid, of the team with our name. */
async function ensureTeam(admin: Ask, id: string | undefined, say: (line: string) => void): Promise<string> {
  for (const path of [id && `/teams/${id}`, `/teams/name/${TEAM.name}`]) {
    if (!path) continue;
    const { status, body } = await admin("GET", path);
    const team = status === 200 ? Team.parse(body) : null;
    if (team && team.delete_at === 0) return team.id;
    if (team) {
      demand(await admin("POST", `/teams/${team.id}/restore`), "restore the team");
      say("Restored the archived team");
      return team.id;
    }
  }
  const made = Team.parse(demand(await admin("POST", "/teams", TEAM), "make the team"));
  say(`Made the team ${TEAM.name}`);
  return made.id;
}

const USERS_PER_TEAM = 50_000;

const ServerConfig = z.object({
  ServiceSettings: z.object({ EnableUserAccessTokens: z.boolean() }),
  TeamSettings: z.object({ EnableOpenServer: z.boolean(), MaxUsersPerTeam: z.number() }),
  PrivacySettings: z.object({ ShowEmailAddress: z.boolean() }),
});

/**
 * The settings that the gateway requires: tokens enabled, room for everyone in the team, no sign-up except
 * through the gateway, and no visible mail addresses.
 */
const wanted = {
  ServiceSettings: { EnableUserAccessTokens: true },
  TeamSettings: { EnableOpenServer: false, MaxUsersPerTeam: USERS_PER_TEAM },
  PrivacySettings: { ShowEmailAddress: false },
};

/** Changes the settings of a Mattermost that would prevent the gateway from working. @throws SeedError */
async function setServerUp(admin: Ask, say: (line: string) => void): Promise<void> {
  const before = ServerConfig.parse(demand(await admin("GET", "/config"), "show its settings"));
  const missing = lacking(before);
  if (missing.length === 0) return;
  const users = Math.max(before.TeamSettings.MaxUsersPerTeam, USERS_PER_TEAM);
  const patch = { ...wanted, TeamSettings: { ...wanted.TeamSettings, MaxUsersPerTeam: users } };
  const after = demand(await admin("PUT", "/config/patch", patch), "change its settings");
  const held = lacking(ServerConfig.parse(after));
  if (held.length > 0)
    throw new SeedError(
      "settings_held",
      `The Mattermost server's environment holds these settings: ${held.join(", ")}. Change or remove its MM_ variables.`,
    );
  say(`Set ${missing.join(", ")}`);
}

/** Returns the settings with wrong values, and the values that they need. */
function lacking({
  ServiceSettings: service,
  TeamSettings: team,
  PrivacySettings: privacy,
}: z.infer<typeof ServerConfig>): string[] {
  return [
    ...(service.EnableUserAccessTokens ? [] : ["ServiceSettings.EnableUserAccessTokens to true"]),
    ...(team.EnableOpenServer ? ["TeamSettings.EnableOpenServer to false"] : []),
    ...(team.MaxUsersPerTeam < USERS_PER_TEAM ? [`TeamSettings.MaxUsersPerTeam to ${USERS_PER_TEAM}`] : []),
    ...(privacy.ShowEmailAddress ? ["PrivacySettings.ShowEmailAddress to false"] : []),
  ];
}
