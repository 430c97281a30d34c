import { readOwnUser } from "../../mattermost/users.ts";
import type { Session } from "../session/session.ts";
import { type PublicUser, projectUser } from "./project-user.ts";

/** Whose PAT it is; it does not expire. */
export async function readMe({ caller, gateway, patHash }: Session): Promise<{ user: PublicUser }> {
  const user = await readOwnUser(caller);
  gateway.known.userIds.set(patHash, user.id);
  return { user: projectUser(user) };
}
