import { CodedError, nullOn } from "../../errors.ts";
import {
  addChannelMember,
  type ChannelMember,
  countMembers,
  leaveChannel as leave,
  listMembers,
  readChannel,
  readOwnMembership,
} from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import { setPreferences } from "../../mattermost/preferences.ts";
import { changeList, readList } from "../../store/lock.ts";
import type { Store } from "../../store/store.ts";
import type { Chat } from "../session/chat.ts";
import { findOwnId, readOwnId, type Session } from "../session/session.ts";
import { forgetOpened, rememberJoined } from "./channel-settings.ts";
import { hidingPreferences } from "./open-direct.ts";

/** Maximum entries that Mattermost lists at once. */
const LISTED = 200;

type Membership = {
  /** Null for non-members. */
  member: ChannelMember | null;
  memberCount: number | undefined;
};

type BegunMembership = {
  /** The caller's user id, if the first calls returned it. */
  ownId: string | undefined;
  /** Makes the calls that remain after the first round. */
  finish(): Promise<Membership>;
};

/**
 * Reads the caller's membership and the number of members, mostly in one call: a channel of up to 199 members is
 * listed, and the count of a larger one is cached.
 */
export async function beginMembership(session: Session, channelId: string): Promise<BegunMembership> {
  const { caller, chat, patHash } = session;
  const { caches } = chat;
  const ownId = await findOwnId(session);
  if (ownId !== undefined && !caches.largeChannels.get(channelId)) return list(session, channelId, ownId);

  const [member, memberCount] = await Promise.all([
    nullUnlessMember(readOwnMembership(caller, channelId)),
    count(chat, channelId),
  ]);
  if (member) caches.userIds.set(patHash, member.user_id);
  return { ownId: member?.user_id ?? ownId, finish: async () => ({ member, memberCount }) };
}

/**
 * Drops a cached member count after a join or leave. For a large channel, a count up to an hour old is accurate enough.
 */
function forgetMemberCount({ caches }: Chat, channelId: string): void {
  if (!caches.largeChannels.get(channelId)) caches.memberCounts.delete(channelId);
}

async function list(session: Session, channelId: string, ownId: string): Promise<BegunMembership> {
  const { caller, chat } = session;
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
 * Asked as the service: Mattermost counts only for members, but readers of a public channel may know the number too.
 */
async function count({ admin, caches }: Chat, channelId: string): Promise<number | undefined> {
  const present = caches.memberCounts.get(channelId);
  if (present !== undefined) return present;
  const counted = await nullUnlessMember(countMembers(admin, channelId));
  if (counted !== null) caches.memberCounts.set(channelId, counted);
  return counted ?? undefined;
}

const nullUnlessMember = <T>(answer: Promise<T>) => nullOn(answer, "forbidden", "not_found");

/** Joins a channel; has no effect for members. @throws CodedError `forbidden` for conversations and private channels */
export async function joinChannel(session: Session, channelId: string): Promise<void> {
  const { caller, chat } = session;
  const ownId = await readOwnId(session);
  try {
    await addChannelMember(caller, channelId, ownId);
  } catch (error) {
    if (isRefusal(error, "api.channel.add_user_to_channel.type.app_error"))
      throw new CodedError("forbidden", { message: "A conversation can't be joined.", cause: error });
    throw error;
  }
  forgetMemberCount(chat, channelId);
  await Promise.all([forgetLeft(chat.store, ownId, channelId), rememberJoined(session, ownId, channelId)]);
}

/**
 * Leaves a channel, and keeps bootstrap from rejoining it. A conversation is hidden until its next message.
 * @throws CodedError `forbidden` for a channel that cannot be left
 */
export async function leaveChannel(session: Session, channelId: string): Promise<void> {
  const { caller, chat } = session;
  const [channel, ownId] = await Promise.all([readChannel(caller, channelId), readOwnId(session)]);
  if (channel.type === "D" || channel.type === "G")
    return setPreferences(caller, hidingPreferences(channel, ownId));
  // Recorded first, so that a crash in between does not undo what the user wanted.
  await Promise.all([
    forgetOpened(session, ownId, channelId),
    ...(channel.type === "O" ? [rememberLeft(chat.store, ownId, channelId)] : []),
  ]);
  try {
    await leave(caller, channelId);
  } catch (error) {
    if (isRefusal(error, "api.channel.remove.default.app_error"))
      throw new CodedError("forbidden", { message: "Nobody can leave this channel.", cause: error });
    // The caller is not a member, which is the desired state.
    if (!isRefusal(error, "app.channel.get_member.missing.app_error")) throw error;
  }
  forgetMemberCount(chat, channelId);
}

const keyOf = (userId: string) => `left:${userId}`;

/** Returns the ids of the channels that the user left and that bootstrap must not rejoin. */
export function listLeft(store: Store, userId: string): Promise<string[]> {
  return readList(store, keyOf(userId));
}

/** Records that the user left the channel. */
export function rememberLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => [...ids.filter((id) => id !== channelId), channelId]);
}

/** Forgets that the user left the channel, because they requested it again. */
export function forgetLeft(store: Store, userId: string, channelId: string): Promise<void> {
  return changeList(store, keyOf(userId), (ids) => ids.filter((id) => id !== channelId));
}
