import { z } from "zod";
import type { Caller } from "./backend.ts";
import { path } from "./path.ts";

const TeamMember = z.object({ team_id: z.string(), user_id: z.string() });

/** Puts a user into a team; one who is in it stays so. */
export async function addTeamMember(admin: Caller, teamId: string, userId: string): Promise<void> {
  await admin.call("POST", path`/teams/${teamId}/members`, TeamMember, { team_id: teamId, user_id: userId });
}
