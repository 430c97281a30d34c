import { CodedError } from "../../errors.ts";
import { log } from "../../log.ts";
import { addTeamMember } from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import { createUser, type User } from "../../mattermost/users.ts";
import {
  bindUser,
  claimUser,
  drawPassword,
  findAccountUser,
  findOwnUser,
  findUser,
  type IdentityParts,
} from "./find-account-user.ts";

type Parts = IdentityParts & { teamId: string };

/**
 * Returns the chat user of a chain account. If there is none, it is created, bound to the account and added to the
 * team. A deactivated user stays deactivated. Call this under the account's lock (`userLockOf`).
 * @throws CodedError `name_taken` (another user has the name), `name_reserved`, `forbidden` (deactivated, or staff),
 * `user_limit_reached` if Mattermost accepts no more users
 */
export async function ensureUser(parts: Parts, account: string): Promise<{ user: User; isNew: boolean }> {
  const present = await findAccountUser(parts, account);
  if (present) return { user: requireActive(present), isNew: false };
  const { user, isNew } = await makeUser(parts, account);
  await ensureTeamMember(parts.admin, parts.teamId, user.id);
  return { user, isNew };
}

/** The key of the lock under which the account's user is created, found and issued a token. */
export const userLockOf = (account: string) => `lock:bootstrap:${account}`;

/**
 * Adds a user to the team; has no effect for members. @throws CodedError `user_limit_reached` if the team is
 * full
 */
export async function ensureTeamMember(
  admin: MattermostCaller,
  teamId: string,
  userId: string,
): Promise<void> {
  try {
    await addTeamMember(admin, teamId, userId);
  } catch (error) {
    if (isTeamFull(error)) throw limitReached(error);
    throw error;
  }
}

// Mattermost uses the first error id for a user who is new to the team, the second for one who returns to it.
const isTeamFull = (error: unknown) =>
  isRefusal(
    error,
    "app.team.join_user_to_team.save_member.max_accounts.app_error",
    "app.team.join_user_to_team.max_accounts.app_error",
  );

async function makeUser(parts: Parts, account: string): Promise<{ user: User; isNew: boolean }> {
  const { admin, addresses, identities } = parts;
  const email = addresses.of(account);
  try {
    // Mattermost cannot know that an address under the former secret is taken.
    const former = addresses.allOf(account).length > 1 ? await findOwnUser(parts, account) : null;
    if (former) return { user: requireActive(await claimUser(parts, account, former)), isNew: false };
    const user = await createUser(admin, { username: account, email, password: drawPassword() });
    await bindUser(parts, account, await identities.userOf(account), user.id);
    return { user, isNew: true };
  } catch (error) {
    if (isRefusal(error, "api.user.create_user.user_limits.exceeded")) throw limitReached(error);
    if (isRefusal(error, "model.user.is_valid.username.app_error"))
      throw new CodedError("name_reserved", { cause: error });
    if (!isTaken(error)) throw error;
    // Either the account's own user has the address under another name, or another user has just taken the
    // name.
    const holder = (await findOwnUser(parts, account)) ?? (await findUser(admin, account));
    if (!holder) throw new CodedError("name_taken", { cause: error });
    return { user: requireActive(await claimUser(parts, account, holder)), isNew: false };
  }
}

const isTaken = (error: unknown) =>
  isRefusal(error, "app.user.save.username_exists.app_error", "app.user.save.email_exists.app_error");

function limitReached(cause: unknown): CodedError {
  log().error({ code: "user_limit_reached" }, "Mattermost has reached its user limit: raise it");
  return new CodedError("user_limit_reached", { cause });
}

function requireActive(user: User): User {
  if (user.delete_at > 0) throw new CodedError("forbidden", { message: "This chat account is closed." });
  return user;
}
