import { type CommunityRole, isCommunityName, readCommunityRole } from "../../hive/bridge.ts";
import { log } from "../../log.ts";
import type { Channel } from "../../mattermost/channels.ts";
import type { Chat } from "../caller/chat.ts";

const ROLE_TIMEOUT_MS = 3000;

/** Returns the community of a channel, or null for other channels. */
export function communityOf(
  channel: Pick<Channel, "type" | "name" | "team_id">,
  teamId: string,
): string | null {
  const isOurs = channel.type === "O" && channel.team_id === teamId;
  return isOurs && isCommunityName(channel.name) ? channel.name : null;
}

/**
 * Returns the account whose role allows the user to delete any post in the community's channel, or null. It
 * is the account bound to the user, whatever the username. Two chain nodes must agree on its role if two are
 * configured. If they disagree, or if the chain or the store is unreachable, the answer is null.
 */
export async function findModerator(chat: Chat, community: string, userId: string): Promise<string | null> {
  const account = await readAccount(chat, community, userId);
  return account !== null && (await isModerator(chat, community, account)) ? account : null;
}

/** Returns whether to offer moderation to the user, whose account may have been read a minute ago. */
export async function canModerate(chat: Chat, community: string, userId: string): Promise<boolean> {
  const { boundAccounts } = chat.caches;
  const known = boundAccounts.get(userId);
  const account = known ?? (await readAccount(chat, community, userId));
  if (account === null) return false;
  if (known === undefined) boundAccounts.set(userId, account);
  return isModerator(chat, community, account);
}

async function readAccount(chat: Chat, community: string, userId: string): Promise<string | null> {
  return chat.identities.accountOf(userId).catch((error: unknown) => {
    log().warn(
      { community, cause: (error as Error).name },
      "the account of a user could not be read: no moderation rights",
    );
    return null;
  });
}

async function isModerator(chat: Chat, community: string, account: string): Promise<boolean> {
  const role = await readRole(chat, community, account);
  return role === "owner" || role === "admin" || role === "mod";
}

async function readRole(chat: Chat, community: string, account: string): Promise<CommunityRole> {
  const { roles } = chat.caches;
  const key = `${community}/${account}`;
  const known = roles.get(key);
  if (known !== undefined) return known;
  try {
    const signal = AbortSignal.timeout(ROLE_TIMEOUT_MS);
    const [role] = await chat.hive.agree((node) => readCommunityRole(node, community, account), {
      signal,
    });
    roles.set(key, role);
    return role;
  } catch (error) {
    log().warn(
      { community, cause: (error as Error).name },
      "a community role could not be read: no moderation rights",
    );
    return "guest";
  }
}
