import type { Channel } from "../../mattermost/channels.ts";

/** Returns the other user of a direct channel (the caller for a note to self), or null for other kinds of channels. */
export function partnerIdOf(channel: Pick<Channel, "type" | "name">, ownId: string): string | null {
  if (channel.type !== "D") return null;
  const ids = channel.name.split("__");
  return ids.find((id) => id !== ownId) ?? ownId;
}
