import type { Channel } from "../data/model.ts";

export type Section = { kind: "favorites" | "channels" | "direct"; channels: Channel[] };

/** Unread first, then as the server orders them; muted channels are never first. */
function compare(a: Channel, b: Channel): number {
  const isUnread = (channel: Channel) => Number(!channel.is_muted && channel.message_count > 0);
  return isUnread(b) - isUnread(a) || a.order - b.order;
}

/** The sidebar's sections in order; empty ones are left out. */
export function sectionsOf(channels: readonly Channel[]): Section[] {
  const isDirect = ({ type }: Channel) => type === "D" || type === "G";
  const sections: Section[] = [
    { kind: "favorites", channels: channels.filter(({ is_favorite }) => is_favorite) },
    {
      kind: "channels",
      channels: channels.filter((channel) => !channel.is_favorite && !isDirect(channel)),
    },
    { kind: "direct", channels: channels.filter((channel) => !channel.is_favorite && isDirect(channel)) },
  ];
  return sections
    .filter((section) => section.channels.length > 0)
    .map((section) => ({ ...section, channels: section.channels.toSorted(compare) }));
}

/** Sections that stand as they stood: their channels as they are now, without those that are gone or new. */
export function standStill(sections: readonly Section[], channels: readonly Channel[]): Section[] {
  const present = new Map(channels.map((channel) => [channel.id, channel]));
  return sections.map((section) => ({
    ...section,
    channels: section.channels.flatMap(({ id }) => present.get(id) ?? []),
  }));
}
