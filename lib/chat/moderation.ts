import { type CommunityRole, isCommunityName, readCommunityRole } from "../hive/bridge.ts";
import { log } from "../log.ts";
import type { Channel } from "../mattermost/channel.ts";
import type { Gateway } from "./gateway.ts";

const ROLE_TIMEOUT_MS = 3000;

/** The community whose channel it is, null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/** Whether the account may delete anybody's posts in the community's channel; the chain being away means no. */
export async function isModerator(gateway: Gateway, community: string, account: string): Promise<boolean> {
  const role = await readRole(gateway, community, account);
  return role === "owner" || role === "admin" || role === "mod";
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
