import { CodedError } from "../errors.ts";
import type { ChannelMember } from "../mattermost/channel.ts";
import { countMembers, listMembers, readOwnMembership } from "../mattermost/channel-members.ts";
import type { Session } from "./session.ts";

/** The most that the backend lists at once. */
const LISTED = 200;

export type Membership = {
  /** Null for somebody who is no member. */
  member: ChannelMember | null;
  /** The caller's user id, where it could be told. */
  ownId: string | undefined;
  memberCount: number | undefined;
};

/**
 * The caller's membership and how many members there are, mostly in one call: a channel of up to 199 members is listed,
 * of a larger one the number is remembered for a while.
 */
export async function readMembership(session: Session, channelId: string): Promise<Membership> {
  const { caller, gateway, patHash } = session;
  const { known } = gateway;
  const ownId = known.userIds.get(patHash);
  const count = known.memberCounts.get(channelId);
  const isListable = ownId !== undefined && !known.largeChannels.get(channelId);

  if (count === undefined && isListable) {
    const members = await nullUnlessMember(listMembers(caller, channelId, LISTED));
    if (members === null) {
      // The backend counts for members alone; who may read a public channel may know how many they are.
      const memberCount = await nullUnlessMember(countMembers(gateway.admin, channelId));
      if (memberCount !== null) known.memberCounts.set(channelId, memberCount);
      return { member: null, ownId, memberCount: memberCount ?? undefined };
    }
    if (members.length < LISTED) {
      known.memberCounts.set(channelId, members.length);
      const member = members.find(({ user_id }) => user_id === ownId) ?? null;
      return { member, ownId, memberCount: members.length };
    }
    known.largeChannels.set(channelId, true);
  }

  const [member, memberCount] = await Promise.all([
    nullUnlessMember(readOwnMembership(caller, channelId)),
    count ?? nullUnlessMember(countMembers(gateway.admin, channelId)),
  ]);
  if (memberCount !== null) known.memberCounts.set(channelId, memberCount);
  if (member) known.userIds.set(patHash, member.user_id);
  return { member, ownId: member?.user_id ?? ownId, memberCount: memberCount ?? undefined };
}

async function nullUnlessMember<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CodedError && (error.code === "forbidden" || error.code === "not_found"))
      return null;
    throw error;
  }
}
