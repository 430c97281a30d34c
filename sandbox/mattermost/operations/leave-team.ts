import type { Backend } from "../backend.ts";
import { deleteChannelMember } from "../model/channel-members.ts";
import { findChannelByName, listChannelsOf } from "../model/channels.ts";
import { findTeamMember, saveTeamMember } from "../model/team-members.ts";
import type { TeamRow } from "../model/teams.ts";
import type { UserRow } from "../model/users.ts";
import { postLeftTeam } from "./system-posts.ts";

/** Takes a user out of a team and of all its channels. */
export function leaveTeam(backend: Backend, team: TeamRow, user: UserRow, actor: UserRow): void {
  const member = findTeamMember(backend.db, team.id, user.id);
  if (!member) return;
  const archivedToo = { includeDeleted: true, lastDeleteAt: 0 };
  for (const channel of listChannelsOf(backend.db, user.id, team.id, archivedToo)) {
    if (channel.team_id === team.id) deleteChannelMember(backend.db, channel.id, user.id);
  }
  backend.db.run(
    `DELETE FROM category_channels WHERE category_id IN (SELECT id FROM categories WHERE user_id = ? AND team_id = ?)`,
    user.id,
    team.id,
  );
  backend.db.run("DELETE FROM categories WHERE user_id = ? AND team_id = ?", user.id, team.id);
  const townSquare = findChannelByName(backend.db, team.id, "town-square");
  if (townSquare) postLeftTeam(backend, townSquare, user, actor);
  saveTeamMember(backend.db, { ...member, delete_at: backend.clock.now(), scheme_admin: 0 });
  const event = { event: "leave_team", data: { team_id: team.id, user_id: user.id } };
  backend.publish({ ...event, broadcast: { team_id: team.id, omit_users: { [user.id]: true } } });
  // He is in the team no more, and hears of it all the same.
  backend.publish({ ...event, broadcast: { user_id: user.id } });
}
