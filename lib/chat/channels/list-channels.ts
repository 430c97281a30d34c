import type {
  ChannelEntry,
  Channels,
  FoundChannel,
  FoundChannels,
  PublicChannels,
} from "../../contract/answers.ts";
import { SHORTEST_TERM } from "../../contract/limits.ts";
import {
  type Channel,
  type ChannelMember,
  countMembersOfEach,
  findChannels,
  listOwnChannels,
  listPublicChannels,
} from "../../mattermost/channels.ts";
import { listPreferences } from "../../mattermost/preferences.ts";
import { readOwnUser, readUsers } from "../../mattermost/users.ts";
import { believeEmpty } from "../access/explain-failure.ts";
import { rememberChannels, rememberUsers } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";
import { projectUser } from "../people/search-users.ts";
import { collapsesThreads } from "./channel-settings.ts";
import { partnerIdOf } from "./direct-partner.ts";
import { createHiddenConversations } from "./hidden-conversations.ts";
import { listMemberships } from "./list-memberships.ts";
import { countUnread, isMuted, notifyLevelOf } from "./unread.ts";

/**
 * Lists the caller's channels: favourites, then channels, both by name, then conversations, latest first.
 * Hidden conversations without unread messages, and those with a deactivated partner, are left out.
 */
export async function listChannels(context: CallerContext): Promise<Channels> {
  const { caller, chat, patHash } = context;
  const ownChannels = listOwnChannels(caller, chat.teamId);
  const ownPreferences = listPreferences(caller);
  const [channels, members, preferences, isCollapsed] = await Promise.all([
    ownChannels,
    listMemberships(context, ownChannels),
    ownPreferences,
    collapsesThreads(context, () => ownPreferences),
  ]);
  const ownId = members[0]?.user_id;
  if (ownId === undefined) return { channels: [] };
  chat.caches.userIds.set(patHash, ownId);
  rememberChannels(chat.caches, channels);

  const membership = new Map(members.map((member) => [member.channel_id, member]));
  const unreadOf = (channel: Channel) => countUnread(channel, membership.get(channel.id), isCollapsed);
  const isHidden = createHiddenConversations(preferences, ownId);
  const shown = channels.filter((channel) => !isHidden(channel) || unreadOf(channel).message_count > 0);
  const partners = await readPartners(context, shown, ownId);
  const favorites = new Set(
    preferences.flatMap(({ category, name, value }) =>
      category === "favorite_channel" && value === "true" ? [name] : [],
    ),
  );

  const entries: ChannelEntry[] = [];
  for (const channel of shown) {
    const partnerId = partnerIdOf(channel, ownId);
    const partner = partnerId === null ? undefined : partners.get(partnerId);
    if (partner && partner.delete_at > 0) continue;
    const { id, name, type, team_id, header, purpose, create_at } = channel;
    const member = membership.get(id);
    const { mention_count, message_count } = unreadOf(channel);
    // Listed field by field, because spreading objects into an entry is several times slower.
    const entry: ChannelEntry = {
      id,
      name,
      display_name: partner ? `@${partner.username}` : channel.display_name,
      type,
      team_id,
      header,
      purpose,
      last_post_at: channel.last_post_at,
      total_msg_count: channel.total_msg_count,
      total_msg_count_root: channel.total_msg_count_root,
      create_at,
      is_favorite: favorites.has(id),
      is_muted: isMuted(member),
      notify_level: notifyLevelOf(member),
      mention_count,
      message_count,
      last_viewed_at: lastViewedAt(member),
      order: 0,
    };
    if (partnerId !== null) entry.directUser = partner ? projectUser(partner) : null;
    entries.push(entry);
  }
  entries.sort(inSidebarOrder).forEach((entry, order) => {
    entry.order = order;
  });
  return { channels: entries };
}

async function readPartners({ caller, chat }: CallerContext, channels: readonly Channel[], ownId: string) {
  const ids = channels.flatMap((channel) => partnerIdOf(channel, ownId) ?? []);
  const partners = await readUsers(caller, [...new Set(ids)]);
  rememberUsers(chat.caches, partners);
  return new Map(partners.map((partner) => [partner.id, partner]));
}

const lastViewedAt = (member: ChannelMember | undefined) => Math.max(0, member?.last_viewed_at ?? 0);

type Sorted = Pick<ChannelEntry, "is_favorite" | "type" | "display_name" | "last_post_at" | "id">;

/** Sorts numbers by value: "Room 2" in front of "Room 10". */
const byName = new Intl.Collator("en", { numeric: true });

const sectionOf = ({ is_favorite, type }: Sorted) => (is_favorite ? 0 : type === "O" || type === "P" ? 1 : 2);

function inSidebarOrder(a: Sorted, b: Sorted): number {
  const bySection = sectionOf(a) - sectionOf(b);
  const byTime = sectionOf(a) === 2 ? b.last_post_at - a.last_post_at : 0;
  return bySection || byTime || byName.compare(a.display_name, b.display_name) || (a.id < b.id ? -1 : 1);
}

/** Finds public channels of the team and the caller's own private ones by name. */
export async function searchChannels({ caller, chat }: CallerContext, text: string): Promise<FoundChannels> {
  const term = text.trim();
  if ([...term].length < SHORTEST_TERM) {
    // The term is too short to search for, but the PAT still has to be checked.
    await readOwnUser(caller);
    return { channels: [] };
  }
  const [found, own] = await Promise.all([
    findChannels(caller, chat.teamId, term),
    listOwnChannels(caller, chat.teamId),
  ]);
  const ownIds = new Set(own.map(({ id }) => id));
  const ownPrivate = own.filter((channel) => channel.type === "P" && matches(channel, term.toLowerCase()));
  const channels = new Map([...found, ...ownPrivate].map((channel) => [channel.id, channel]));
  if (channels.size === 0) await believeEmpty(chat);
  return { channels: [...channels.values()].map((channel) => projectFound(channel, ownIds)) };
}

function projectFound(channel: Channel, ownIds: ReadonlySet<string>): FoundChannel {
  const { id, name, display_name, type, header, purpose } = channel;
  return { id, name, display_name, type, header, purpose, is_member: ownIds.has(id) };
}

/**
 * Returns a page of the team's public channels by title, or of those that match a term, with details that
 * help to decide whether to join. Makes four Mattermost calls.
 */
export async function browseChannels(
  { caller, chat }: CallerContext,
  { q, page, perPage }: { q: string; page: number; perPage: number },
): Promise<PublicChannels> {
  const { admin, teamId } = chat;
  const term = q.trim();
  const start = page * perPage;
  const [listed, own] = await Promise.all([
    term === "" ? listPublicChannels(caller, teamId, page, perPage) : findChannels(caller, teamId, term),
    listOwnChannels(caller, teamId),
  ]);
  if (listed.length === 0 && page === 0) await believeEmpty(chat);
  const channels = term === "" ? listed : listed.slice(start, start + perPage);
  const counts = await countMembersOfEach(
    admin,
    channels.map(({ id }) => id),
  );
  const ownIds = new Set(own.map(({ id }) => id));
  return {
    channels: channels.map((channel) => ({
      ...projectFound(channel, ownIds),
      last_post_at: channel.last_post_at,
      member_count: counts[channel.id] ?? 0,
    })),
    hasMore: term === "" ? listed.length === perPage : listed.length > start + perPage,
  };
}

const matches = ({ name, display_name }: Channel, term: string) =>
  name.includes(term) || display_name.toLowerCase().includes(term);
