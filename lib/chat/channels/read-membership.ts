import { CodedError } from "../../errors.ts";
import type { ChannelMember } from "../../mattermost/channel.ts";
import { countMembers, listMembers, readOwnMembership } from "../../mattermost/channel-members.ts";
import type { Gateway } from "../session/gateway.ts";
import { findOwnId, type Session } from "../session/session.ts";

/** The most that the backend lists at once. */
const LISTED = 200;

type Membership = {
  /** Null for somebody who is no member. */
  member: ChannelMember | null;
  memberCount: number | undefined;
};

type BegunMembership = {
  /** The caller's user id, where it could be told. */
  ownId: string | undefined;
  /** Asks for what the first round of calls did not tell. */
  finish(): Promise<Membership>;
};

/**
 * The caller's membership and how many members there are, mostly in one call: a channel of up to 199 members is listed,
 * of a larger one the number is remembered for a while.
 */
export async function beginMembership(session: Session, channelId: string): Promise<BegunMembership> {
  const { caller, gateway, patHash } = session;
  const { known } = gateway;
  const ownId = await findOwnId(session);
  if (ownId !== undefined && !known.largeChannels.get(channelId)) return list(session, channelId, ownId);

  const [member, memberCount] = await Promise.all([
    nullUnlessMember(readOwnMembership(caller, channelId)),
    count(gateway, channelId),
  ]);
  if (member) known.userIds.set(patHash, member.user_id);
  return { ownId: member?.user_id ?? ownId, finish: async () => ({ member, memberCount }) };
}

/** Forgets how many members a channel has, since somebody joined or left; of a large one it is good enough for an hour. */
export function forgetMemberCount({ known }: Gateway, channelId: string): void {
  if (!known.largeChannels.get(channelId)) known.memberCounts.delete(channelId);
}

async function list(session: Session, channelId: string, ownId: string): Promise<BegunMembership> {
  const { caller, gateway } = session;
  const members = await nullUnlessMember(listMembers(caller, channelId, LISTED));
  const member = members?.find(({ user_id }) => user_id === ownId) ?? null;
  if (members && members.length < LISTED)
    return { ownId, finish: async () => ({ member, memberCount: members.length }) };
  if (members) gateway.known.largeChannels.set(channelId, true);
  return {
    ownId,
    async finish() {
      const [own, memberCount] = await Promise.all([
        members && !member ? nullUnlessMember(readOwnMembership(caller, channelId)) : member,
        count(gateway, channelId),
      ]);
      return { member: own, memberCount };
    },
  };
}

/** As the service: the backend counts for members alone, but who may read a public channel may know how many they are. */
async function count({ admin, known }: Gateway, channelId: string): Promise<number | undefined> {
  const present = known.memberCounts.get(channelId);
  if (present !== undefined) return present;
  const counted = await nullUnlessMember(countMembers(admin, channelId));
  if (counted !== null) known.memberCounts.set(channelId, counted);
  return counted ?? undefined;
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
