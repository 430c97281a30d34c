import { isCommunityName } from "../../hive/bridge.ts";
import {
  type Channel,
  type ChannelMember,
  listOwnMemberships,
  wasAddedByPost,
} from "../../mattermost/channels.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { COMMUNITIES, readOpened } from "../bootstrap-notes/opened-channels.ts";
import type { CallerContext } from "../caller/caller-context.ts";

/** Earlier than any message, so that everything in a channel that was empty when opened counts as new. */
const BEFORE_ALL_MS = 1;

/** The public channels to which Mattermost adds everyone. */
const forEverybody: ReadonlySet<string> = new Set(["town-square", "off-topic"]);

/**
 * Lists the caller's memberships in all channels. In a channel that was never opened (`last_viewed_at` 0),
 * messages do not count as new if a bootstrap, Mattermost or the caller chose the channel. They do count in
 * two kinds of channels: those opened while empty, which the gateway records because newer Mattermost
 * versions do not; and those to which another user added the caller.
 */
export async function listMemberships(
  { caller, chat }: CallerContext,
  channels: Promise<readonly Channel[]>,
): Promise<ChannelMember[]> {
  const [members, ownChannels] = await Promise.all([listOwnMemberships(caller, chat.teamId), channels]);
  // Everyone is in some channel; an empty answer may come from a Mattermost that lost its database.
  if (members.length === 0 || ownChannels.length === 0) await believeEmpty(chat);
  const [userId] = members.map(({ user_id }) => user_id);
  if (userId === undefined) return members;
  const current = new Set(members.map(({ channel_id }) => channel_id));
  const { opened, joined } = await readOpened(chat.store, userId, current);
  const mayBeAdded = new Set(
    ownChannels
      .filter((channel) => takesMembers(channel, joined) && !joined.has(channel.id))
      .map(({ id }) => id),
  );
  const added = members.filter(
    ({ channel_id, last_viewed_at }) =>
      last_viewed_at <= 0 && !opened.has(channel_id) && mayBeAdded.has(channel_id),
  );
  const mentions = await findCountedAddings({ caller, chat }, userId, { added, current });
  return members.map((member) => {
    const { channel_id, last_viewed_at } = member;
    if (last_viewed_at > 0) return member;
    if (opened.has(channel_id)) return { ...member, last_viewed_at: BEFORE_ALL_MS };
    if (!mayBeAdded.has(channel_id)) return member;
    return { ...(mentions.has(channel_id) ? withoutAdding(member) : member), last_viewed_at: BEFORE_ALL_MS };
  });
}

/** Maximum number of channels to check per listing; the next listing continues. */
const MOST_ASKED = 10;

/**
 * Returns the channels in which being added by others counts as a mention. Most such additions do not count,
 * because plugins, groups and converted conversations add people silently. Each channel is checked once, and
 * only if it has mentions.
 */
async function findCountedAddings(
  { caller, chat: { caches } }: Pick<CallerContext, "caller" | "chat">,
  userId: string,
  { added, current }: { added: readonly ChannelMember[]; current: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const known = new Map([...(caches.addings.get(userId) ?? [])].filter(([id]) => current.has(id)));
  const asked = added
    .filter(({ channel_id, mention_count_root }) => mention_count_root > 0 && !known.has(channel_id))
    .slice(0, MOST_ASKED);
  await Promise.all(
    asked.map(async ({ channel_id }) => {
      // If the check fails, the addition counts, as in Mattermost, and is checked again.
      const isCounted = await wasAddedByPost(caller, channel_id, userId).catch(() => undefined);
      if (isCounted !== undefined) known.set(channel_id, isCounted);
    }),
  );
  caches.addings.set(userId, known);
  return new Set([...known].flatMap(([id, isCounted]) => (isCounted ? [id] : [])));
}

/**
 * Returns whether a user can only have been added to the channel by others, unless recorded as having joined
 * it.
 */
function takesMembers({ type, name }: Channel, joined: ReadonlySet<string>): boolean {
  if (type === "O") return isCommunityName(name) ? joined.has(COMMUNITIES) : !forEverybody.has(name);
  return type === "P";
}

/** Subtracts the mention for being added, because there is no message to read for it. */
function withoutAdding(member: ChannelMember): ChannelMember {
  return {
    ...member,
    mention_count: Math.max(0, member.mention_count - 1),
    mention_count_root: Math.max(0, member.mention_count_root - 1),
  };
}
