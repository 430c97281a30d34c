import type { Backend } from "../backend.ts";

/** Tells the others in a channel that somebody is typing there. */
export function publishTyping(backend: Backend, userId: string, channelId: string, parentId: string): void {
  backend.publish({
    event: "typing",
    data: { parent_id: parentId, user_id: userId },
    broadcast: { channel_id: channelId, omit_users: { [userId]: true } },
  });
}
