import { type CommunityRole, isCommunityName, readCommunityRole } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import type { Channel } from "../../mattermost/channels.ts";
import type { Gateway } from "../session/gateway.ts";

const ROLE_TIMEOUT_MS = 3000;

/** The community whose channel it is, null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/**
 * The account by whose role the user may delete anybody's posts in the community's channel, null for who may not. It
 * is the account that the user is bound to, whatever the user is called, and its role by the word of two chain nodes
 * where two are configured; a dispute among them, and chain or store being away, means no.
 */
export async function findModerator(
  gateway: Gateway,
  community: string,
  userId: string,
): Promise<string | null> {
  const account = await gateway.identities.accountOf(userId).catch((error: unknown) => {
    log().warn({ community, cause: (error as Error).name }, "account of a user unknown: no rights");
    return null;
  });
  if (account === null) return null;
  const role = await readRole(gateway, community, account);
  return role === "owner" || role === "admin" || role === "mod" ? account : null;
}

async function readRole(gateway: Gateway, community: string, account: string): Promise<CommunityRole> {
  const { roles } = gateway.caches;
  const key = `${community}/${account}`;
  const known = roles.get(key);
  if (known !== undefined) return known;
  try {
    const signal = AbortSignal.timeout(ROLE_TIMEOUT_MS);
    const [role] = await gateway.hive.agree((node) => readCommunityRole(node, community, account), {
      signal,
    });
    roles.set(key, role);
    return role;
  } catch (error) {
    log().warn({ community, cause: (error as Error).name }, "community role unknown: no rights");
    return "guest";
  }
}
