import { type CommunityRole, isCommunityName, readCommunityRole } from "../hive/bridge.ts";
import { log } from "../log.ts";
import type { Channel } from "../mattermost/channel.ts";
import type { Gateway } from "./gateway.ts";
import { createPatVault } from "./pat-vault.ts";

const ROLE_TIMEOUT_MS = 3000;

/** The community whose channel it is, null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/** Whether the user may delete anybody's posts in the community's channel; the chain being away means no. */
export async function isModerator(
  gateway: Gateway,
  community: string,
  user: { id: string; username: string },
): Promise<boolean> {
  const role = await readRole(gateway, community, user.username);
  return (role === "owner" || role === "admin" || role === "mod") && isProvenAccount(gateway, user);
}

/** A name in the backend alone proves nothing: users can change theirs there. Who came in by bootstrap proved it. */
async function isProvenAccount({ store, config }: Gateway, user: { id: string; username: string }) {
  const { pat } = await createPatVault({ store, secret: config.sessionSecret }).read(user.username);
  return pat?.userId === user.id;
}

async function readRole(gateway: Gateway, community: string, account: string): Promise<CommunityRole> {
  const { roles } = gateway.known;
  const key = `${community}/${account}`;
  const known = roles.get(key);
  if (known !== undefined) return known;
  try {
    const signal = AbortSignal.timeout(ROLE_TIMEOUT_MS);
    const role = await readCommunityRole(gateway.hive, community, account, { signal });
    roles.set(key, role);
    return role;
  } catch (error) {
    log().warn({ community, cause: (error as Error).name }, "community role unknown: no rights");
    return "guest";
  }
}
