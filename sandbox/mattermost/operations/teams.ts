import type { Backend } from "../context.ts";
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

/** @throws ApiError when a field breaks a rule. */
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

/** Creates a team with its two first channels; the creator is its admin. @throws ApiError 400. */
export function createTeam(backend: Backend, creator: UserRow, values: NewTeam): TeamRow {
  const now = backend.clock.now();
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
  if (findTeamByName(backend.db, team.name))
    refuse(
      backend.isV11 ? "store.sql_team.save_team.existing.app_error" : "app.team.save.existing.app_error",
    );
  insertTeam(backend.db, team);
  for (const [name, display_name] of [
    ["town-square", "Town Square"],
    ["off-topic", "Off-Topic"],
  ] as const) {
    saveChannel(
      backend,
      blankChannel(backend, { team_id: team.id, type: "O", name, display_name, creator_id: "" }),
    );
  }
  joinTeam(backend, team, creator, true);
  return team;
}

/** Puts a user into a team and its two first channels; nothing happens to one who is in. */
export function joinTeam(backend: Backend, team: TeamRow, user: UserRow, isAdmin = false): TeamMemberRow {
  const present = findTeamMember(backend.db, team.id, user.id);
  if (present && present.delete_at === 0) return present;
  if (countTeamMembers(backend.db, team.id).active >= backend.settings.maxUsersPerTeam)
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
  // They are in the team no more, and hear of it all the same.
  backend.publish({ ...event, broadcast: { user_id: user.id } });
}
