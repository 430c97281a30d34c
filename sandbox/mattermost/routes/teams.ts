import { z } from "zod";
import { type Context, callerId, param, readBody, readIds } from "../context.ts";
import { demand, refuse } from "../errors.ts";
import {
  countTeamMembers,
  findTeam,
  findTeamByName,
  findTeamMember,
  listTeamMembersByIds,
  saveTeamMember,
  type TeamMemberRow,
  type TeamRow,
  updateTeam,
} from "../model/teams.ts";
import { checkTeam, createTeam, joinTeam, leaveTeam } from "../operations/teams.ts";
import { can, canInTeam, demandInTeam, demandPermission } from "../permissions.ts";
import { created, ok, requireCaller, requireUser } from "../require.ts";
import { type Route, route } from "../router.ts";
import { publicTeamObject, teamMemberObject, teamObject } from "../serializers/channel.ts";

const NewTeam = z.object({
  name: z.string(),
  display_name: z.string(),
  type: z.string(),
  description: z.string().optional(),
  email: z.string().optional(),
  company_name: z.string().optional(),
  allow_open_invite: z.boolean().optional(),
});

function postTeam(context: Context): unknown {
  const body = readBody(context, NewTeam, "team");
  const caller = callerId(context);
  if (!can(context.mattermost.db, caller, "create_team")) {
    refuse("api.team.is_team_creation_allowed.disabled.app_error");
  }
  const team = createTeam(context.mattermost, requireCaller(context), body);
  return created(teamObject(context.mattermost, team, caller));
}

/** Answers with a team. Members may see their team, and everyone may see an open one. */
function show(context: Context, team: TeamRow): unknown {
  const isOpen = team.allow_open_invite === 1 && team.type === "O";
  demand(isOpen || canInTeam(context.mattermost.db, callerId(context), team.id, "view_team"));
  return teamObject(context.mattermost, team, callerId(context));
}

function requireTeam(context: Context): TeamRow {
  return findTeam(context.mattermost.db, param(context, "team_id")) ?? refuse("app.team.get.find.app_error");
}

function getTeam(context: Context): unknown {
  return show(context, requireTeam(context));
}

function getByName(context: Context): unknown {
  const team = findTeamByName(context.mattermost.db, param(context, "team_name"));
  return show(context, team ?? refuse("app.team.get_by_name.missing.app_error"));
}

function change(context: Context, event: string, changes: Partial<Omit<TeamRow, "id">>): TeamRow {
  const { mattermost } = context;
  const team = requireTeam(context);
  demandInTeam(context, team.id, "manage_team");
  const next = { ...team, ...changes, update_at: mattermost.clock.now() };
  checkTeam(next);
  const { id, ...columns } = next;
  updateTeam(mattermost.db, id, columns);
  const data = { team: JSON.stringify(publicTeamObject(mattermost, next)) };
  mattermost.publish({ event, data, broadcast: { team_id: id } });
  return next;
}

function deleteTeam(context: Context): unknown {
  change(context, "delete_team", { delete_at: context.mattermost.clock.now() });
  return ok;
}

function postRestore(context: Context): unknown {
  return teamObject(context.mattermost, change(context, "restore_team", { delete_at: 0 }), callerId(context));
}

function getStats(context: Context): unknown {
  const team = requireTeam(context);
  demandInTeam(context, team.id, "view_team");
  const { total, active } = countTeamMembers(context.mattermost.db, team.id);
  return { team_id: team.id, total_member_count: total, active_member_count: active };
}

export const teamRoutes: Route[] = [
  route("POST", "/teams", postTeam),
  route("GET", "/teams/{team_id}", getTeam),
  route("GET", "/teams/name/{team_name}", getByName),
  route("DELETE", "/teams/{team_id}", deleteTeam),
  route("POST", "/teams/{team_id}/restore", postRestore),
  route("GET", "/teams/{team_id}/stats", getStats),
];

const NewMember = z.object({ team_id: z.string(), user_id: z.string() });
const SchemeRoles = z.object({ scheme_admin: z.boolean(), scheme_user: z.boolean() });

function requireActiveTeam(context: Context): TeamRow {
  const team = findTeam(context.mattermost.db, param(context, "team_id"));
  return team && team.delete_at === 0 ? team : refuse("app.team.get.find.app_error");
}

function requireMember(context: Context): TeamMemberRow {
  const member = findTeamMember(context.mattermost.db, param(context, "team_id"), param(context, "user_id"));
  return member && member.delete_at === 0 ? member : refuse("app.team.get_member.missing.app_error");
}

function getMember(context: Context): unknown {
  demandInTeam(context, param(context, "team_id"), "view_team");
  return teamMemberObject(requireMember(context));
}

function postIds(context: Context): unknown {
  const teamId = param(context, "team_id");
  const ids = readIds(context, "user_ids");
  demandInTeam(context, teamId, "view_team");
  return listTeamMembersByIds(context.mattermost.db, teamId, ids).map(teamMemberObject);
}

function postMember(context: Context): unknown {
  const body = readBody(context, NewMember, "team_id");
  if (body.team_id !== param(context, "team_id"))
    refuse("api.context.invalid_body_param.app_error", "team_id");
  const team = requireActiveTeam(context);
  if (body.user_id === callerId(context)) {
    const permission = team.allow_open_invite ? "join_public_teams" : "join_private_teams";
    demandPermission(context, permission);
  } else {
    demandInTeam(context, team.id, "add_user_to_team");
  }
  return created(teamMemberObject(joinTeam(context.mattermost, team, requireUser(context, body.user_id))));
}

function deleteMember(context: Context): unknown {
  const team = requireActiveTeam(context);
  const userId = param(context, "user_id");
  if (userId !== callerId(context)) demandInTeam(context, team.id, "remove_user_from_team");
  const member = requireMember(context);
  leaveTeam(context.mattermost, team, requireUser(context, member.user_id), requireCaller(context));
  return ok;
}

function putSchemeRoles(context: Context): unknown {
  const { mattermost } = context;
  const body = readBody(context, SchemeRoles, "scheme_admin");
  demandInTeam(context, param(context, "team_id"), "manage_team_roles");
  const member = {
    ...requireMember(context),
    scheme_admin: Number(body.scheme_admin),
    scheme_user: Number(body.scheme_user),
  };
  saveTeamMember(mattermost.db, member);
  mattermost.publish({
    event: "memberrole_updated",
    data: { member: JSON.stringify(teamMemberObject(member)) },
    broadcast: { user_id: member.user_id },
  });
  return ok;
}

export const teamMemberRoutes: Route[] = [
  route("GET", "/teams/{team_id}/members/{user_id}", getMember),
  route("POST", "/teams/{team_id}/members/ids", postIds),
  route("POST", "/teams/{team_id}/members", postMember),
  route("DELETE", "/teams/{team_id}/members/{user_id}", deleteMember),
  route("PUT", "/teams/{team_id}/members/{user_id}/schemeRoles", putSchemeRoles),
];
