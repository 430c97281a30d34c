import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { leaveChannel as leave } from "../../mattermost/channel-members.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { setPreferences } from "../../mattermost/preferences.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { hidingPreferences } from "./conversations.ts";
import { rememberLeft } from "./left-channels.ts";
import { forgetOpened } from "./opened-channels.ts";
import { forgetMemberCount } from "./read-membership.ts";

/**
 * Leaves a channel, so that bootstrap does not bring the caller back; a conversation is put away until its next message.
 * @throws CodedError `forbidden` for a channel that nobody can leave
 */
export async function leaveChannel(session: Session, channelId: string): Promise<void> {
  const { caller, gateway } = session;
  const [channel, ownId] = await Promise.all([readChannel(caller, channelId), readOwnId(session)]);
  if (channel.type === "D" || channel.type === "G")
    return setPreferences(caller, hidingPreferences(channel, ownId));
  // Remembered first: a crash in between must not undo what the user wanted.
  await Promise.all([
    forgetOpened(session, ownId, channelId),
    ...(channel.type === "O" ? [rememberLeft(gateway.store, ownId, channelId)] : []),
  ]);
  try {
    await leave(caller, channelId);
  } catch (error) {
    if (isRefusal(error, "api.channel.remove.default.app_error"))
      throw new CodedError("forbidden", { message: "Nobody can leave this channel.", cause: error });
    // Not a member any more: what was asked for is so.
    if (!isRefusal(error, "app.channel.get_member.missing.app_error")) throw error;
  }
  forgetMemberCount(gateway, channelId);
}
