import type { AccessTokenRow } from "../model/access-tokens.ts";
import type { SessionRow } from "../model/sessions.ts";

/** A session for its owner's eyes, without its token. */
export function sessionObject(row: SessionRow): Record<string, unknown> {
  const { csrf: _, ...props } = JSON.parse(row.props) as Record<string, string>;
  return {
    ...row,
    token: "",
    props,
    is_oauth: false,
    expired_notify: false,
    team_members: [],
    local: false,
  };
}

/** A personal access token without its secret. */
export function accessTokenObject(row: AccessTokenRow): Record<string, unknown> {
  return {
    id: row.id,
    user_id: row.user_id,
    description: row.description,
    is_active: row.is_active === 1,
  };
}
