import { readOwnUser, type User } from "../../mattermost/users.ts";
import type { Session } from "../session/session.ts";

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
