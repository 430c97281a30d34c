import { strings } from "../strings.en.ts";
import type { Channel } from "./model.ts";

/** Returns a channel's name for lists and titles. For a conversation it is the partner's name. */
export function channelName(channel: Pick<Channel, "type" | "displayName"> & Partial<Channel>, myId: string) {
  if (channel.type !== "D") return channel.displayName;
  const name = channel.directUser?.username ?? channel.displayName.replace(/^@/, "");
  if (channel.directUser?.id === myId) return strings.sidebar.self(name);
  return name === "" ? strings.sidebar.unknownPerson : name;
}

/**
 * Returns the `~name` that tells a channel apart from others of the same display name, or null for a
 * conversation.
 */
export const tildeName = ({ type, name }: Pick<Channel, "type" | "name">): string | null =>
  type === "D" || type === "G" ? null : `~${name}`;

export type Section = { kind: "unread" | "favorites" | "channels" | "direct"; channels: Channel[] };

/** Returns whether a channel has unread messages that its reader wants to see. */
export function isUnread({ isMuted, messageCount, mentionCount }: Channel): boolean {
  return !isMuted && (messageCount > 0 || mentionCount > 0);
}

/**
 * Returns the number in a channel's badge: all messages in a direct conversation, only mentions elsewhere.
 */
export function mentionsIn({ type, messageCount, mentionCount }: Channel): number {
  return type === "D" ? messageCount : mentionCount;
}

/**
 * Returns a channel's share of the reader's total: only mentions in a muted channel, and none in a muted
 * conversation.
 */
export function unreadIn({ type, isMuted, messageCount, mentionCount }: Channel): number {
  if (!isMuted) return Math.max(messageCount, mentionCount);
  return type === "D" || type === "G" ? 0 : mentionCount;
}

/** Counts the unread mentions of the reader in channels, not in direct conversations. */
export function mentionsAmong(channels: readonly Channel[]): number {
  return channels.reduce((sum, { type, mentionCount }) => sum + (type === "D" ? 0 : mentionCount), 0);
}

function compareUnread(a: Channel, b: Channel): number {
  return Number(mentionsIn(b) > 0) - Number(mentionsIn(a) > 0) || a.order - b.order;
}

/**
 * Returns the sidebar's sections in order, with each channel in one of them: unread channels on top, mentions
 * first. The channel `keptId` stays among the unread ones after it has been read, so that nothing moves while
 * it is open.
 */
export function sectionsOf(channels: readonly Channel[], keptId: string | null = null): Section[] {
  const isDirect = ({ type }: Channel) => type === "D" || type === "G";
  const isOnTop = (channel: Channel) => channel.id === keptId || isUnread(channel);
  const kindOf = (channel: Channel): Section["kind"] => {
    if (isOnTop(channel)) return "unread";
    if (channel.isFavorite) return "favorites";
    return isDirect(channel) ? "direct" : "channels";
  };
  const kinds = ["unread", "favorites", "channels", "direct"] as const;
  return kinds
    .map((kind) => ({ kind, channels: channels.filter((channel) => kindOf(channel) === kind) }))
    .filter((section) => section.channels.length > 0)
    .map(({ kind, channels: inside }) => ({
      kind,
      channels: inside.toSorted(kind === "unread" ? compareUnread : (a, b) => a.order - b.order),
    }));
}

/** The name of the channel that contains everyone. No version of Mattermost changes it. */
const COMMONS = "town-square";

/**
 * Returns the channel to open first: one with unread messages, or the one read last. For new users it is the
 * channel that contains everyone, or the most recently active one.
 */
export function firstChannel(channels: readonly Channel[]): Channel | undefined {
  const [section] = sectionsOf(channels);
  if (section?.kind === "unread") return section.channels[0];
  const [read] = channels.toSorted((a, b) => b.lastViewedAt - a.lastViewedAt);
  if (read && read.lastViewedAt > 0) return read;
  const [latest] = channels.toSorted((a, b) => b.lastPostAt - a.lastPostAt);
  return channels.find(({ name }) => name === COMMONS) ?? latest;
}

/**
 * Returns the sections in their former order, with updated channels; leaves out channels that are gone or
 * new.
 */
export function standStill(sections: readonly Section[], channels: readonly Channel[]): Section[] {
  const present = new Map(channels.map((channel) => [channel.id, channel]));
  return sections.map((section) => ({
    ...section,
    channels: section.channels.flatMap(({ id }) => present.get(id) ?? []),
  }));
}

/**
 * Counts another user's new message in a channel that is not being read, by the gateway's rules, so that a
 * reload shows the same. In a channel that is muted or was never opened, only mentions count.
 */
export function countNews(
  { type, isMuted, lastViewedAt }: Pick<Channel, "type" | "isMuted" | "lastViewedAt">,
  isMention: boolean,
): Pick<Channel, "messageCount" | "mentionCount"> {
  const isConversation = type === "D" || type === "G";
  if (isConversation && isMuted) return { messageCount: 0, mentionCount: 0 };
  const isCounted = !isMuted && (isConversation || lastViewedAt > 0);
  return { messageCount: isCounted ? 1 : 0, mentionCount: isMention ? 1 : 0 };
}
