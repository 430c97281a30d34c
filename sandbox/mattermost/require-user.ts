import { type Context, callerId } from "./context.ts";
import { refuse } from "./errors.ts";
import { findUser, type UserRow } from "./model/users.ts";

/** The user of an id. @throws ApiError 404 when there is none. */
export function needUser(context: Context, userId: string): UserRow {
  return findUser(context.backend.db, userId) ?? refuse("app.user.missing_account.const");
}

/** The user who calls. */
export function needCaller(context: Context): UserRow {
  return needUser(context, callerId(context));
}
