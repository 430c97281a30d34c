import type { Channel } from "../../mattermost/channels.ts";
import type { Preference } from "../../mattermost/preferences.ts";

/** The other user of a direct channel (oneself in a note to self), null for other kinds of channels. */
export function partnerIdOf(channel: Pick<Channel, "type" | "name">, ownId: string): string | null {
  if (channel.type !== "D") return null;
  const ids = channel.name.split("__");
  return ids.find((id) => id !== ownId) ?? ownId;
}

/** Beside the backend's own row: up to which message a conversation was put away. */
const HIDDEN_AT = "hivegate_hidden";

const SHOW = { D: "direct_channel_show", G: "group_channel_show" } as const;

/** The preferences that put a conversation away until its next message. */
export function hidingPreferences(channel: Channel, ownId: string): Preference[] {
  const name = partnerIdOf(channel, ownId) ?? channel.id;
  const category = SHOW[channel.type === "G" ? "G" : "D"];
  return [
    { user_id: ownId, category, name, value: "false" },
    { user_id: ownId, category: HIDDEN_AT, name: channel.id, value: String(channel.last_post_at) },
  ];
}

/** The preference that brings the direct conversation with a user back. */
export function showingPreference(ownId: string, partnerId: string): Preference {
  return { user_id: ownId, category: SHOW.D, name: partnerId, value: "true" };
}

/** Tells by the caller's preferences which conversations are put away. */
export function createHiddenConversations(preferences: readonly Preference[], ownId: string) {
  const values = new Map(preferences.map(({ category, name, value }) => [`${category}/${name}`, value]));
  return (channel: Channel): boolean => {
    if (channel.type !== "D" && channel.type !== "G") return false;
    const name = partnerIdOf(channel, ownId) ?? channel.id;
    if (values.get(`${SHOW[channel.type]}/${name}`) !== "false") return false;
    const hiddenAt = values.get(`${HIDDEN_AT}/${channel.id}`);
    return hiddenAt === undefined || channel.last_post_at <= Number(hiddenAt);
  };
}
