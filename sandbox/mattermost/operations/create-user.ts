import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import { countActiveUsers, countUsers, insertUser, type UserRow } from "../model/users.ts";
import { checkUser } from "./check-user.ts";

export type NewUser = {
  username: string;
  email: string;
  passwordHash: string;
  nickname?: string | undefined;
  first_name?: string | undefined;
  last_name?: string | undefined;
  position?: string | undefined;
  locale?: string | undefined;
  props?: Record<string, string> | undefined;
  notify_props?: Record<string, string> | undefined;
  timezone?: Record<string, string> | undefined;
};

const defaultTimezone = { automaticTimezone: "", manualTimezone: "", useAutomaticTimezone: "true" };

function defaultNotifyProps(backend: Backend): Record<string, string> {
  return {
    channel: "true",
    comments: "never",
    desktop: "mention",
    desktop_sound: "true",
    desktop_threads: "all",
    email: "true",
    email_threads: "all",
    first_name: "false",
    mention_keys: "",
    push: "mention",
    push_status: backend.isV11 ? "online" : "away",
    push_threads: "all",
  };
}

/** Makes an account and tells everybody; the first one of an empty server is a system admin. @throws ApiError 400. */
export function createUser(backend: Backend, values: NewUser): UserRow {
  const now = backend.clock.now();
  const user: UserRow = {
    id: makeId(),
    create_at: now,
    update_at: now,
    delete_at: 0,
    username: values.username.trim().toLowerCase(),
    email: values.email.trim().toLowerCase(),
    password_hash: values.passwordHash,
    nickname: values.nickname ?? "",
    first_name: values.first_name ?? "",
    last_name: values.last_name ?? "",
    position: values.position ?? "",
    roles: countUsers(backend.db) === 0 ? "system_admin system_user" : "system_user",
    props: JSON.stringify(values.props ?? {}),
    notify_props: JSON.stringify({ ...defaultNotifyProps(backend), ...values.notify_props }),
    locale: values.locale || "en",
    timezone: JSON.stringify({ ...defaultTimezone, ...values.timezone }),
    last_password_update: now,
    last_picture_update: 0,
  };
  if (countActiveUsers(backend.db) >= backend.settings.maxUsers) {
    refuse("api.user.create_user.user_limits.exceeded");
  }
  checkUser(backend, user);
  insertUser(backend.db, user);
  backend.publish({ event: "new_user", data: { user_id: user.id }, broadcast: {} });
  return user;
}
