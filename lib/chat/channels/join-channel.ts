import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { addChannelMember } from "../../mattermost/channel-members.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { forgetLeft } from "./left-channels.ts";
import { forgetMemberCount } from "./read-membership.ts";

/** Joins a channel; a member stays one. @throws CodedError `forbidden` for conversations and private channels */
export async function joinChannel(session: Session, channelId: string): Promise<void> {
  const { caller, gateway } = session;
  const ownId = await readOwnId(session);
  try {
    await addChannelMember(caller, channelId, ownId);
  } catch (error) {
    if (isRefusal(error, "api.channel.add_user_to_channel.type.app_error"))
      throw new CodedError("forbidden", { message: "A conversation can't be joined.", cause: error });
    throw error;
  }
  forgetMemberCount(gateway, channelId);
  await forgetLeft(gateway.store, ownId, channelId);
}
