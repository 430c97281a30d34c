import type { Channel } from "../../mattermost/channels.ts";
import type { Preference } from "../../mattermost/preferences.ts";
import { partnerIdOf } from "./direct-partner.ts";

/**
 * A preference, in addition to Mattermost's own, that stores the message up to which a conversation was
 * hidden.
 */
const HIDDEN_AT = "hivegate_hidden";

const SHOW = { D: "direct_channel_show", G: "group_channel_show" } as const;

/** Returns the preferences that hide a conversation until its next message. */
export function hidingPreferences(channel: Channel, ownId: string): Preference[] {
  const name = partnerIdOf(channel, ownId) ?? channel.id;
  const category = SHOW[channel.type === "G" ? "G" : "D"];
  return [
    { user_id: ownId, category, name, value: "false" },
    { user_id: ownId, category: HIDDEN_AT, name: channel.id, value: String(channel.last_post_at) },
  ];
}

/** Returns the preference that shows the direct conversation with a user again. */
export function showingPreference(ownId: string, partnerId: string): Preference {
  return { user_id: ownId, category: SHOW.D, name: partnerId, value: "true" };
}

/** Creates the test of whether a conversation is hidden, from the caller's preferences. */
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
