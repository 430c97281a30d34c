import { muteChannel } from "../../mattermost/channel-members.ts";
import type { Session } from "../session/session.ts";

/** Mutes a channel, down to mentions, or unmutes it. @throws CodedError `not_found`, `forbidden` */
export function setMuted({ caller }: Session, channelId: string, isMuted: boolean): Promise<void> {
  return muteChannel(caller, channelId, isMuted);
}
