import { randomBytes } from "node:crypto";
import { CodedError } from "../errors.ts";
import { log } from "../log.ts";
import type { Caller } from "../mattermost/backend.ts";
import { isRefusal } from "../mattermost/backend-error.ts";
import { addTeamMember } from "../mattermost/teams.ts";
import type { User } from "../mattermost/user.ts";
import { createUser, readUserByName } from "../mattermost/users.ts";

/** A mail domain that can't exist: chat users have no mailbox. */
const MAIL_DOMAIN = "users.hivegate.invalid";

/**
 * The chat user of a chain account, made and put into the team where there is none. A deactivated user stays so.
 * @throws CodedError `forbidden` when deactivated, `user_limit_reached` when the backend takes no more
 */
export async function ensureUser(
  admin: Caller,
  teamId: string,
  account: string,
): Promise<{ user: User; isNew: boolean }> {
  const present = await findUser(admin, account);
  if (present) return { user: refuseDeactivated(present), isNew: false };
  const { user, isNew } = await makeUser(admin, account);
  await ensureTeamMember(admin, teamId, user.id);
  return { user, isNew };
}

/** Puts a user into the team; one who is in it stays so. @throws CodedError `user_limit_reached` */
export async function ensureTeamMember(admin: Caller, teamId: string, userId: string): Promise<void> {
  try {
    await addTeamMember(admin, teamId, userId);
  } catch (error) {
    if (isTeamFull(error)) throw limitReached(error);
    throw error;
  }
}

// The first id for somebody new to the team, the second for somebody who comes back to it.
const isTeamFull = (error: unknown) =>
  isRefusal(
    error,
    "app.team.join_user_to_team.save_member.max_accounts.app_error",
    "app.team.join_user_to_team.max_accounts.app_error",
  );

/** The chat user of that name, null where there is none. */
export async function findUser(caller: Caller, username: string): Promise<User | null> {
  try {
    return await readUserByName(caller, username);
  } catch (error) {
    if (error instanceof CodedError && error.code === "not_found") return null;
    throw error;
  }
}

async function makeUser(admin: Caller, account: string): Promise<{ user: User; isNew: boolean }> {
  // The letters, digits and sign at the end satisfy password rules of servers that ask for all classes.
  const password = `${randomBytes(24).toString("base64url")}aA1!`;
  try {
    const user = await createUser(admin, { username: account, email: `${account}@${MAIL_DOMAIN}`, password });
    return { user, isNew: true };
  } catch (error) {
    if (isRefusal(error, "api.user.create_user.user_limits.exceeded")) throw limitReached(error);
    if (isRefusal(error, "model.user.is_valid.username.app_error"))
      throw new CodedError("forbidden", { message: "The chat server reserves this name.", cause: error });
    if (!isTaken(error)) throw error;
    // Somebody else made it meanwhile.
    return { user: refuseDeactivated(await readUserByName(admin, account)), isNew: false };
  }
}

const isTaken = (error: unknown) =>
  isRefusal(error, "app.user.save.username_exists.app_error", "app.user.save.email_exists.app_error");

function limitReached(cause: unknown): CodedError {
  log().error({ code: "user_limit_reached" }, "the chat server is at its limit of users: raise it");
  return new CodedError("user_limit_reached", { cause });
}

function refuseDeactivated(user: User): User {
  if (user.delete_at > 0) throw new CodedError("forbidden", { message: "This chat account is closed." });
  return user;
}
