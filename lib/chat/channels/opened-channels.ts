import type { ChannelMember } from "../../mattermost/channel.ts";
import { listOwnMemberships } from "../../mattermost/channel-members.ts";
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
export async function rememberOpened({ gateway }: Session, member: ChannelMember): Promise<void> {
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
