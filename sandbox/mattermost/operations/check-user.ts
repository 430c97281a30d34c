import type { Backend } from "../backend.ts";
import { refuse } from "../errors.ts";
import { findUserByEmail, findUserByUsername, type UserRow } from "../model/users.ts";

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
