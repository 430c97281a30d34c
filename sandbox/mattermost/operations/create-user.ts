import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { makeId } from "../id.ts";
import {
  countActiveUsers,
  countUsers,
  findUserByEmail,
  findUserByUsername,
  insertUser,
  type UserRow,
} from "../model/users.ts";

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

const reserved = new Set(["all", "channel", "matterbot", "system"]);

/** Whether nobody may have the name, so that there is nobody to look up either. */
export const isReservedName = (username: string) => reserved.has(username);

const length = (text: string) => [...text].length;

/** @throws ApiError when the user's fields break a rule, or the name or the e-mail is another's. */
export function checkUser(
  backend: Backend,
  user: Pick<UserRow, "id" | "username" | "email" | "nickname" | "first_name" | "last_name" | "position">,
): void {
  if (!/^[a-z0-9._-]{1,64}$/.test(user.username) || reserved.has(user.username)) {
    refuse("model.user.is_valid.username.app_error");
  }
  if (user.email.length > 128 || !/^[^\s@<>]+@[^\s@<>]+$/.test(user.email)) {
    refuse("model.user.is_valid.email.app_error");
  }
  if (length(user.nickname) > 64) refuse("model.user.is_valid.nickname.app_error");
  if (length(user.first_name) > 64) refuse("model.user.is_valid.first_name.app_error");
  if (length(user.last_name) > 64) refuse("model.user.is_valid.last_name.app_error");
  if (length(user.position) > 128) refuse("model.user.is_valid.position.app_error");
  const byName = findUserByUsername(backend.db, user.username);
  if (byName && byName.id !== user.id) refuse("app.user.save.username_exists.app_error");
  const byEmail = findUserByEmail(backend.db, user.email);
  if (byEmail && byEmail.id !== user.id) refuse("app.user.save.email_exists.app_error");
}

/** @throws ApiError when the password is shorter than 8 characters or longer than 72 bytes. */
export function checkPassword(backend: Backend, password: string): void {
  if (length(password) < 8) {
    refuse(
      backend.isV11
        ? "model.user.is_valid.pwd_min_length.app_error"
        : "api.user.check_user_password.invalid.app_error",
    );
  }
  if (Buffer.byteLength(password) > 72) refuse("model.user.is_valid.password_limit.app_error");
}
