import { z } from "zod";
import { type Context, callerId, param, queryFlag, readBody, readIds, readPage } from "../context.ts";
import { ApiError, refuse } from "../errors.ts";
import {
  findTeam,
  findTeamMember,
  listTeamMembers,
  listTeamMembersByIds,
  saveTeamMember,
  type TeamMemberRow,
  type TeamRow,
} from "../model/teams.ts";
import { joinTeam, leaveTeam } from "../operations/teams.ts";
import { demandInTeam, demandPermission } from "../permissions.ts";
import { created, needCaller, needUser, ok } from "../require.ts";
import { type Route, route } from "../router.ts";
import { teamMemberObject } from "../serializers/channel.ts";

const NewMember = z.object({ team_id: z.string(), user_id: z.string() });
const MAX_BATCH = 256;
const SchemeRoles = z.object({ scheme_admin: z.boolean(), scheme_user: z.boolean() });

function needTeam(context: Context): TeamRow {
  const team = findTeam(context.backend.db, param(context, "team_id"));
  return team && team.delete_at === 0 ? team : refuse("app.team.get.find.app_error");
}

function needMember(context: Context): TeamMemberRow {
  const member = findTeamMember(context.backend.db, param(context, "team_id"), param(context, "user_id"));
  return member && member.delete_at === 0 ? member : refuse("app.team.get_member.missing.app_error");
}

function getMembers(context: Context): unknown {
  const teamId = param(context, "team_id");
  demandInTeam(context, teamId, "view_team");
  return listTeamMembers(context.backend.db, teamId, readPage(context), {
    isByUsername: context.query.get("sort") === "Username",
    isActiveOnly: queryFlag(context, "exclude_deleted_users"),
  }).map(teamMemberObject);
}

function getMember(context: Context): unknown {
  demandInTeam(context, param(context, "team_id"), "view_team");
  return teamMemberObject(needMember(context));
}

function postIds(context: Context): unknown {
  const teamId = param(context, "team_id");
  const ids = readIds(context, "user_ids");
  demandInTeam(context, teamId, "view_team");
  return listTeamMembersByIds(context.backend.db, teamId, ids).map(teamMemberObject);
}

function postMember(context: Context): unknown {
  const body = readBody(context, NewMember, "team_id");
  if (body.team_id !== param(context, "team_id"))
    refuse("api.context.invalid_body_param.app_error", "team_id");
  const team = needTeam(context);
  if (body.user_id === callerId(context)) {
    const permission = team.allow_open_invite ? "join_public_teams" : "join_private_teams";
    demandPermission(context, permission);
  } else {
    demandInTeam(context, team.id, "add_user_to_team");
  }
  return created(teamMemberObject(joinTeam(context.backend, team, needUser(context, body.user_id))));
}

function postBatch(context: Context): unknown {
  const body = readBody(context, z.array(NewMember).min(1).max(MAX_BATCH), "user_ids");
  const team = needTeam(context);
  const stray = body.find((member) => member.team_id !== team.id);
  if (stray) refuse("api.context.invalid_body_param.app_error", "team_id");
  demandInTeam(context, team.id, "add_user_to_team");
  if (!queryFlag(context, "graceful")) {
    const users = body.map((member) => needUser(context, member.user_id));
    return created(users.map((user) => teamMemberObject(joinTeam(context.backend, team, user))));
  }
  return created(body.map(({ user_id }) => joinGracefully(context, team, user_id)));
}

function joinGracefully(context: Context, team: TeamRow, user_id: string): Record<string, unknown> {
  try {
    const member = joinTeam(context.backend, team, needUser(context, user_id));
    return { user_id, member: teamMemberObject(member), error: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { id, message, status } = error;
    return { user_id, member: null, error: { id, message, detailed_error: "", status_code: status } };
  }
}

function deleteMember(context: Context): unknown {
  const team = needTeam(context);
  const userId = param(context, "user_id");
  if (userId !== callerId(context)) demandInTeam(context, team.id, "remove_user_from_team");
  const member = needMember(context);
  leaveTeam(context.backend, team, needUser(context, member.user_id), needCaller(context));
  return ok;
}

function putSchemeRoles(context: Context): unknown {
  const { backend } = context;
  const body = readBody(context, SchemeRoles, "scheme_admin");
  demandInTeam(context, param(context, "team_id"), "manage_team_roles");
  const member = {
    ...needMember(context),
    scheme_admin: Number(body.scheme_admin),
    scheme_user: Number(body.scheme_user),
  };
  saveTeamMember(backend.db, member);
  backend.publish({
    event: "memberrole_updated",
    data: { member: JSON.stringify(teamMemberObject(member)) },
    broadcast: { user_id: member.user_id },
  });
  return ok;
}

export const teamMemberRoutes: Route[] = [
  route("GET", "/teams/{team_id}/members", getMembers),
  route("GET", "/teams/{team_id}/members/{user_id}", getMember),
  route("POST", "/teams/{team_id}/members/ids", postIds),
  route("POST", "/teams/{team_id}/members", postMember),
  route("POST", "/teams/{team_id}/members/batch", postBatch),
  route("DELETE", "/teams/{team_id}/members/{user_id}", deleteMember),
  route("PUT", "/teams/{team_id}/members/{user_id}/schemeRoles", putSchemeRoles),
];
