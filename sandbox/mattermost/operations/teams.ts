import type { Mattermost } from "../context.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  deleteChannelMember,
  findChannelByName,
  findChannelMember,
  listChannelsOf,
} from "../model/channels.ts";
import {
  countTeamMembers,
  findTeamByName,
  findTeamMember,
  insertTeam,
  saveTeamMember,
  type TeamMemberRow,
  type TeamRow,
} from "../model/teams.ts";
import type { UserRow } from "../model/users.ts";
import {
  addMember,
  postJoined,
  postJoinedTeam,
  postLeftTeam,
  publishUserAdded,
} from "./channel-membership.ts";
import { blankChannel, saveChannel } from "./create-channel.ts";

const reserved = [
  "signup",
  "login",
  "admin",
  "channel",
  "post",
  "api",
  "oauth",
  "error",
  "help",
  "plugins",
  "playbooks",
  "boards",
];

type NewTeam = {
  name: string;
  display_name: string;
  type: string;
  description?: string | undefined;
  email?: string | undefined;
  company_name?: string | undefined;
  allow_open_invite?: boolean | undefined;
};

/** @throws ApiError if a field breaks a rule. */
export function checkTeam(team: Pick<TeamRow, "name" | "display_name" | "description" | "type">): void {
  const isNameGood = /^[a-z0-9]+([a-z\-0-9]+|(__)?)[a-z0-9]+$/.test(team.name);
  if (!isNameGood || team.name.length < 2 || team.name.length > 64)
    refuse("model.team.is_valid.characters.app_error");
  if (reserved.some((word) => team.name.startsWith(word))) refuse("model.team.is_valid.reserved.app_error");
  if (team.display_name.trim() === "" || [...team.display_name].length > 64)
    refuse("model.team.is_valid.name.app_error");
  if (team.description.length > 255) refuse("model.team.is_valid.description.app_error");
  if (team.type !== "O" && team.type !== "I") refuse("model.team.is_valid.type.app_error");
}

/** Creates a team with its first two channels. The creator becomes its admin. @throws ApiError 400. */
export function createTeam(mattermost: Mattermost, creator: UserRow, values: NewTeam): TeamRow {
  const now = mattermost.clock.now();
  const team: TeamRow = {
    id: makeId(),
    create_at: now,
    update_at: now,
    delete_at: 0,
    display_name: values.display_name,
    name: values.name,
    description: values.description ?? "",
    email: values.email || creator.email,
    type: values.type,
    company_name: values.company_name ?? "",
    allowed_domains: "",
    invite_id: makeId(),
    allow_open_invite: Number(values.allow_open_invite ?? false),
  };
  checkTeam(team);
  if (findTeamByName(mattermost.db, team.name))
    refuse(
      mattermost.isV11 ? "store.sql_team.save_team.existing.app_error" : "app.team.save.existing.app_error",
    );
  insertTeam(mattermost.db, team);
  for (const [name, display_name] of [
    ["town-square", "Town Square"],
    ["off-topic", "Off-Topic"],
  ] as const) {
    saveChannel(
      mattermost,
      blankChannel(mattermost, { team_id: team.id, type: "O", name, display_name, creator_id: "" }),
    );
  }
  joinTeam(mattermost, team, creator, true);
  return team;
}

/** Adds a user to a team and its first two channels. Does nothing for members. */
export function joinTeam(
  mattermost: Mattermost,
  team: TeamRow,
  user: UserRow,
  isAdmin = false,
): TeamMemberRow {
  const present = findTeamMember(mattermost.db, team.id, user.id);
  if (present && present.delete_at === 0) return present;
  if (countTeamMembers(mattermost.db, team.id).active >= mattermost.settings.maxUsersPerTeam)
    refuse(
      present
        ? "app.team.join_user_to_team.max_accounts.app_error"
        : "app.team.join_user_to_team.save_member.max_accounts.app_error",
    );
  const member: TeamMemberRow = {
    team_id: team.id,
    user_id: user.id,
    delete_at: 0,
    scheme_user: 1,
    scheme_admin: Number(isAdmin),
  };
  saveTeamMember(mattermost.db, member);
  for (const name of ["town-square", "off-topic"]) {
    const channel = findChannelByName(mattermost.db, team.id, name);
    if (!channel || findChannelMember(mattermost.db, channel.id, user.id)) continue;
    addMember(mattermost, channel.id, user.id, isAdmin);
    if (name === "town-square") postJoinedTeam(mattermost, channel, user);
    else postJoined(mattermost, channel, user);
    publishUserAdded(mattermost, channel, user.id);
  }
  mattermost.publish({
    event: "added_to_team",
    data: { team_id: team.id, user_id: user.id },
    broadcast: { user_id: user.id },
  });
  return member;
}

/** Removes a user from a team and all its channels. */
export function leaveTeam(mattermost: Mattermost, team: TeamRow, user: UserRow, actor: UserRow): void {
  const member = findTeamMember(mattermost.db, team.id, user.id);
  if (!member) return;
  const archivedToo = { includeDeleted: true, lastDeleteAt: 0 };
  for (const channel of listChannelsOf(mattermost.db, user.id, team.id, archivedToo)) {
    if (channel.team_id === team.id) deleteChannelMember(mattermost.db, channel.id, user.id);
  }
  mattermost.db.run(
    `DELETE FROM category_channels WHERE category_id IN (SELECT id FROM categories WHERE user_id = ? AND team_id = ?)`,
    user.id,
    team.id,
  );
  mattermost.db.run("DELETE FROM categories WHERE user_id = ? AND team_id = ?", user.id, team.id);
  const townSquare = findChannelByName(mattermost.db, team.id, "town-square");
  if (townSquare) postLeftTeam(mattermost, townSquare, user, actor);
  saveTeamMember(mattermost.db, { ...member, delete_at: mattermost.clock.now(), scheme_admin: 0 });
  const event = { event: "leave_team", data: { team_id: team.id, user_id: user.id } };
  mattermost.publish({ ...event, broadcast: { team_id: team.id, omit_users: { [user.id]: true } } });
  // The user has left the team, but is still notified.
  mattermost.publish({ ...event, broadcast: { user_id: user.id } });
}
