import { z } from "zod";
import { type MattermostSession, path } from "./backend.ts";
import { isRefusal } from "./backend-error.ts";

const TeamMember = z.object({ team_id: z.string(), user_id: z.string() });

/** Puts a user into a team; one who is in it stays so. */
export async function addTeamMember(admin: MattermostSession, teamId: string, userId: string): Promise<void> {
  const add = () =>
    admin.call("POST", path`/teams/${teamId}/members`, TeamMember, { team_id: teamId, user_id: userId });
  try {
    await add();
  } catch (error) {
    // Of two additions of one user at the same time the backend fails the second; asked again, it finds the member.
    if (!isRefusal(error, "app.team.join_user_to_team.save_member.conflict.app_error")) throw error;
    await add();
  }
}
