import { nullOn } from "../../errors.ts";
import {
  type ChannelMember,
  countMembers,
  listMembers,
  readOwnMembership,
} from "../../mattermost/channels.ts";
import { type CallerContext, findOwnId } from "../caller/caller-context.ts";
import type { Chat } from "../caller/chat.ts";

/** Maximum number of entries that Mattermost lists at once. */
const LISTED = 200;

type Membership = {
  /** Null for non-members. */
  member: ChannelMember | null;
  memberCount: number | undefined;
};

type BegunMembership = {
  /** The caller's user id, if it is known after the first calls. */
  ownId: string | undefined;
  /** Makes the remaining calls, after the first round. */
  finish(): Promise<Membership>;
};

/**
 * Reads the caller's membership and the number of members, usually in one call: a channel of up to 199
 * members is listed, and the count of a larger one is cached.
 */
export async function beginMembership(context: CallerContext, channelId: string): Promise<BegunMembership> {
  const { caller, chat, patHash } = context;
  const { caches } = chat;
  const ownId = await findOwnId(context);
  if (ownId !== undefined && !caches.largeChannels.get(channelId)) return list(context, channelId, ownId);

  const [member, memberCount] = await Promise.all([
    nullUnlessMember(readOwnMembership(caller, channelId)),
    count(chat, channelId),
  ]);
  if (member) caches.userIds.set(patHash, member.user_id);
  return { ownId: member?.user_id ?? ownId, finish: async () => ({ member, memberCount }) };
}

/**
 * Drops a cached member count after a join or leave. The count of a large channel stays, because it is
 * accurate enough for an hour.
 */
export function forgetMemberCount({ caches }: Chat, channelId: string): void {
  if (!caches.largeChannels.get(channelId)) caches.memberCounts.delete(channelId);
}

async function list(context: CallerContext, channelId: string, ownId: string): Promise<BegunMembership> {
  const { caller, chat } = context;
  const members = await nullUnlessMember(listMembers(caller, channelId, LISTED));
  const member = members?.find(({ user_id }) => user_id === ownId) ?? null;
  if (members && members.length < LISTED)
    return { ownId, finish: async () => ({ member, memberCount: members.length }) };
  if (members) chat.caches.largeChannels.set(channelId, true);
  return {
    ownId,
    async finish() {
      const [own, memberCount] = await Promise.all([
        members && !member ? nullUnlessMember(readOwnMembership(caller, channelId)) : member,
        count(chat, channelId),
      ]);
      return { member: own, memberCount };
    },
  };
}

/**
 * Reads the member count as the gateway's admin: Mattermost returns it only to members, but anyone who can
 * read a public channel may see it.
 */
async function count({ admin, caches }: Chat, channelId: string): Promise<number | undefined> {
  const present = caches.memberCounts.get(channelId);
  if (present !== undefined) return present;
  const counted = await nullUnlessMember(countMembers(admin, channelId));
  if (counted !== null) caches.memberCounts.set(channelId, counted);
  return counted ?? undefined;
}

const nullUnlessMember = <T>(answer: Promise<T>) => nullOn(answer, "forbidden", "not_found");
