import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { listOwnMemberships, readOwnMembership } from "../../mattermost/channel-members.ts";
import { type ChannelMember, viewChannel } from "../../mattermost/channels.ts";
import { changeList, readList } from "../../store/stored-list.ts";
import type { Session } from "../session/session.ts";

const keyOf = (userId: string) => `opened:${userId}`;

/** Before every message: what is in a channel that was opened empty is all new. */
const BEFORE_ALL_MS = 1;

/**
 * The caller's memberships in all channels. Newer backends don't note the opening of a channel in which nothing is
 * unread, so that one opened empty would look never opened for good: of those the gateway keeps its own note.
 */
export async function listMemberships({ caller, gateway }: Session): Promise<ChannelMember[]> {
  const members = await listOwnMemberships(caller, gateway.teamId);
  const unseen = members.find(({ last_viewed_at }) => last_viewed_at <= 0);
  if (unseen === undefined) return members;
  // A store that is away costs a mark in the list, not the list.
  const opened = new Set(await readList(gateway.store, keyOf(unseen.user_id)).catch(() => []));
  return members.map((member) =>
    member.last_viewed_at <= 0 && opened.has(member.channel_id)
      ? { ...member, last_viewed_at: BEFORE_ALL_MS }
      : member,
  );
}

/** Notes that the caller opened a channel, where the backend did not. */
async function rememberOpened({ gateway }: Session, member: ChannelMember): Promise<void> {
  if (member.last_viewed_at > 0) return;
  const { user_id, channel_id } = member;
  // The backend has marked it read all the same: no reason to fail.
  await changeList(gateway.store, keyOf(user_id), (ids) =>
    ids.includes(channel_id) ? ids : [...ids, channel_id],
  ).catch(() => undefined);
}

/** Forgets that the caller ever opened a channel, which is left: after another joining its history is no news. */
export function forgetOpened({ gateway }: Session, userId: string, channelId: string): Promise<void> {
  return changeList(gateway.store, keyOf(userId), (ids) => ids.filter((id) => id !== channelId));
}

/** Marks a channel and its threads read. @throws CodedError `not_found` when the caller is no member */
export async function markViewed(session: Session, channelId: string): Promise<void> {
  const { caller } = session;
  try {
    // The backend says "OK" to channels of others too, and newer ones to those that don't exist.
    const [member] = await Promise.all([
      readOwnMembership(caller, channelId),
      viewChannel(caller, channelId),
    ]);
    await rememberOpened(session, member);
  } catch (error) {
    const isOutside = error instanceof CodedError && error.code === "forbidden";
    if (isOutside || isRefusal(error, "app.channel.update_last_viewed_at.app_error"))
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}
