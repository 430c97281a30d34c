import { MOST_USERS_FOUND, SHORTEST_TERM } from "../../contract/limits.ts";
import { isAccountName } from "../../hive/account-name.ts";
import { findTeamUsers, readOwnUser, type User } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { type Gateway, rememberUsers } from "../session/gateway.ts";
import type { Session } from "../session/session.ts";
import { isStaff } from "./find-account-user.ts";

/** A user as clients get to see it. */
export type PublicUser = {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  nickname: string;
  last_picture_update: number;
  is_bot?: true;
};

/** Keeps of a user what everybody may see. */
export function projectUser(user: User): PublicUser {
  const { id, username, first_name, last_name, nickname, last_picture_update, is_bot } = user;
  return {
    id,
    username,
    first_name,
    last_name,
    nickname,
    last_picture_update,
    ...(is_bot && { is_bot }),
  };
}

/** Users as a map by id. */
export function projectUsers(users: readonly User[]): Record<string, PublicUser> {
  return Object.fromEntries(users.map((user) => [user.id, projectUser(user)]));
}

/** Whose PAT it is; it does not expire. */
export async function readMe({ caller, gateway, patHash }: Session): Promise<{ user: PublicUser }> {
  const user = await readOwnUser(caller);
  gateway.caches.userIds.set(patHash, user.id);
  return { user: projectUser(user) };
}

/** More than are shown: those left out must not take the others' places. */
const MAX_ASKED = 100;

/**
 * Users of the team whose username or full name matches. Nobody is shown under an account's name that is not proven to
 * be theirs: to whoever looks for the account an impostor would seem to be it.
 */
export async function searchUsers(
  { caller, gateway }: Session,
  text: string,
): Promise<{ users: PublicUser[] }> {
  const term = text.trim().replace(/^@/, "");
  if ([...term].length < SHORTEST_TERM) {
    // Nothing to look for, but the PAT may be worthless.
    await readOwnUser(caller);
    return { users: [] };
  }
  const found = await findTeamUsers(caller, gateway.teamId, term, MAX_ASKED);
  if (found.length === 0) await believeEmpty(gateway);
  rememberUsers(gateway.caches, found);
  const isShown = await Promise.all(
    found.map(async (user) => user.delete_at === 0 && (await bearsOwnName(gateway, user))),
  );
  return {
    users: found
      .filter((_, index) => isShown[index])
      .slice(0, MOST_USERS_FOUND)
      .map(projectUser),
  };
}

/** Bots, staff and names that no account can have are not taken for somebody's account. */
async function bearsOwnName({ identities, vault }: Gateway, user: User): Promise<boolean> {
  const { id, username } = user;
  const owner = await identities.accountOf(id);
  if (owner !== null) return owner === username;
  if (isStaff(user) || !isAccountName(username)) return true;
  // Those of an earlier version are bound when they come back.
  return (await identities.userOf(username)) === null && (await vault.read(username)).pat?.userId === id;
}
