import type { Backend } from "../backend.ts";
import type { TeamMemberRow, TeamRow } from "../model/teams.ts";
import { canInTeam } from "../permissions.ts";

/** A team as one user may see it: the e-mail only for its managers, the invitation only for who may invite. */
export function teamObject(backend: Backend, row: TeamRow, viewerId: string): Record<string, unknown> {
  const isManager = canInTeam(backend.db, viewerId, row.id, "manage_team");
  const isInviter = canInTeam(backend.db, viewerId, row.id, "invite_user");
  return {
    ...publicTeamObject(backend, row),
    email: isManager ? row.email : "",
    invite_id: isInviter ? row.invite_id : "",
  };
}

/** A team as an event carries it: without e-mail and invitation. */
export function publicTeamObject(backend: Backend, row: TeamRow): Record<string, unknown> {
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    display_name: row.display_name,
    name: row.name,
    description: row.description,
    email: "",
    type: row.type,
    company_name: row.company_name,
    allowed_domains: row.allowed_domains,
    invite_id: "",
    allow_open_invite: row.allow_open_invite === 1,
    scheme_id: null,
    group_constrained: null,
    policy_id: null,
    ...(backend.isV11 && { cloud_limits_archived: false }),
  };
}

export function teamMemberObject(row: TeamMemberRow): Record<string, unknown> {
  return {
    team_id: row.team_id,
    user_id: row.user_id,
    roles: [row.scheme_user && "team_user", row.scheme_admin && "team_admin"].filter(Boolean).join(" "),
    delete_at: row.delete_at,
    scheme_guest: false,
    scheme_user: row.scheme_user === 1,
    scheme_admin: row.scheme_admin === 1,
    explicit_roles: "",
  };
}
