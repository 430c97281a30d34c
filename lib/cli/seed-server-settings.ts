import { z } from "zod";
import { type Ask, demand, SeedError } from "./mattermost-calls.ts";

const USERS_PER_TEAM = 50_000;

const ServerConfig = z.object({
  ServiceSettings: z.object({ EnableUserAccessTokens: z.boolean() }),
  TeamSettings: z.object({ EnableOpenServer: z.boolean(), MaxUsersPerTeam: z.number() }),
});

/** What the gateway needs: tokens on, room for everybody in the team, and no way in but its own. */
const wanted = {
  ServiceSettings: { EnableUserAccessTokens: true },
  TeamSettings: { EnableOpenServer: false, MaxUsersPerTeam: USERS_PER_TEAM },
};

/** Changes those settings of a chat server that keep the gateway from working. @throws SeedError */
export async function setServerUp(admin: Ask, say: (line: string) => void): Promise<void> {
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
      `The Mattermost server's environment holds these settings: ${held.join(", ")}. Change its MM_ variables, or take them away.`,
    );
  say(`Set ${missing.join(", ")}`);
}

/** The settings that are not as they must be, with the value they need. */
function lacking({ ServiceSettings: service, TeamSettings: team }: z.infer<typeof ServerConfig>): string[] {
  return [
    ...(service.EnableUserAccessTokens ? [] : ["ServiceSettings.EnableUserAccessTokens to true"]),
    ...(team.EnableOpenServer ? ["TeamSettings.EnableOpenServer to false"] : []),
    ...(team.MaxUsersPerTeam < USERS_PER_TEAM ? [`TeamSettings.MaxUsersPerTeam to ${USERS_PER_TEAM}`] : []),
  ];
}
