import type { Backend } from "../backend.ts";
import { findChannelMember } from "../model/channel-members.ts";
import { findChannelByName } from "../model/channels.ts";
import { findTeamMember, saveTeamMember, type TeamMemberRow } from "../model/team-members.ts";
import type { TeamRow } from "../model/teams.ts";
import type { UserRow } from "../model/users.ts";
import { addMember, publishUserAdded } from "./join-channel.ts";
import { postJoined, postJoinedTeam } from "./system-posts.ts";

/** Puts a user into a team and its two first channels; nothing happens to one who is in. */
export function joinTeam(backend: Backend, team: TeamRow, user: UserRow, isAdmin = false): TeamMemberRow {
  const present = findTeamMember(backend.db, team.id, user.id);
  if (present && present.delete_at === 0) return present;
  const member: TeamMemberRow = {
    team_id: team.id,
    user_id: user.id,
    delete_at: 0,
    scheme_user: 1,
    scheme_admin: Number(isAdmin),
  };
  saveTeamMember(backend.db, member);
  for (const name of ["town-square", "off-topic"]) {
    const channel = findChannelByName(backend.db, team.id, name);
    if (!channel || findChannelMember(backend.db, channel.id, user.id)) continue;
    addMember(backend, channel.id, user.id, isAdmin);
    if (name === "town-square") postJoinedTeam(backend, channel, user);
    else postJoined(backend, channel, user);
    publishUserAdded(backend, channel, user.id);
  }
  backend.publish({
    event: "added_to_team",
    data: { team_id: team.id, user_id: user.id },
    broadcast: { user_id: user.id },
  });
  return member;
}
