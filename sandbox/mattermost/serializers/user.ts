import type { AccessTokenRow, SessionRow } from "../model/sessions.ts";
import type { UserRow } from "../model/users.ts";

export type UserObject = Record<string, unknown> & { id: string };

/** A user as the user (or an admin who changes them) sees them when `isOwn`, else as others do. */
export function userObject(row: UserRow, isOwn: boolean): UserObject {
  const props = JSON.parse(row.props) as Record<string, string>;
  return {
    id: row.id,
    create_at: row.create_at,
    update_at: row.update_at,
    delete_at: row.delete_at,
    username: row.username,
    auth_data: "",
    auth_service: "",
    email: row.email,
    nickname: row.nickname,
    first_name: row.first_name,
    last_name: row.last_name,
    position: row.position,
    roles: row.roles,
    ...(Object.keys(props).length > 0 && { props }),
    ...(isOwn && {
      notify_props: JSON.parse(row.notify_props),
      last_password_update: row.last_password_update,
    }),
    ...(row.last_picture_update > 0 && { last_picture_update: row.last_picture_update }),
    locale: row.locale,
    timezone: JSON.parse(row.timezone),
    disable_welcome_email: false,
  };
}

/** The copy that stands for a participant of whom only the id is told. */
export function sparseUserObject(id: string): UserObject {
  const blank = { username: "", auth_service: "", email: "", nickname: "", first_name: "", last_name: "" };
  return {
    id,
    delete_at: 0,
    ...blank,
    position: "",
    roles: "",
    locale: "",
    timezone: null,
    disable_welcome_email: false,
  };
}

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
