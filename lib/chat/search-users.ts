import { findTeamUsers, readOwnUser } from "../mattermost/users.ts";
import { type PublicUser, projectUser } from "./project-user.ts";
import { rememberUsers } from "./remember.ts";
import type { Session } from "./session.ts";

const MIN_TERM = 2;
const MAX_FOUND = 20;

/** Users of the team whose username or full name matches. */
export async function searchUsers(
  { caller, gateway }: Session,
  text: string,
): Promise<{ users: PublicUser[] }> {
  const term = text.trim().replace(/^@/, "");
  if ([...term].length < MIN_TERM) {
    // Nothing to look for, but the PAT may be worthless.
    await readOwnUser(caller);
    return { users: [] };
  }
  const users = await findTeamUsers(caller, gateway.teamId, term, MAX_FOUND);
  rememberUsers(gateway.known, users);
  return { users: users.filter(({ delete_at }) => delete_at === 0).map(projectUser) };
}
