import { CodedError } from "../../errors.ts";
import { addChannelMember, leaveChannel as leave, readChannel } from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import { setPreferences } from "../../mattermost/preferences.ts";
import { forgetLeft, rememberLeft } from "../bootstrap-notes/left-channels.ts";
import { forgetOpened, rememberJoined } from "../bootstrap-notes/opened-channels.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";
import { hidingPreferences } from "./hidden-conversations.ts";
import { forgetMemberCount } from "./read-membership.ts";

/** Joins a channel; has no effect for members. @throws CodedError `forbidden` for conversations and private channels */
export async function joinChannel(context: CallerContext, channelId: string): Promise<void> {
  const { caller, chat } = context;
  const ownId = await readOwnId(context);
  try {
    await addChannelMember(caller, channelId, ownId);
  } catch (error) {
    if (isRefusal(error, "api.channel.add_user_to_channel.type.app_error"))
      throw new CodedError("forbidden", { message: "A conversation can't be joined.", cause: error });
    throw error;
  }
  forgetMemberCount(chat, channelId);
  await Promise.all([forgetLeft(chat.store, ownId, channelId), rememberJoined(context, ownId, channelId)]);
}

/**
 * Leaves a channel, and keeps bootstrap from rejoining it. A conversation is hidden until its next message.
 * @throws CodedError `forbidden` for a channel that cannot be left
 */
export async function leaveChannel(context: CallerContext, channelId: string): Promise<void> {
  const { caller, chat } = context;
  const [channel, ownId] = await Promise.all([readChannel(caller, channelId), readOwnId(context)]);
  if (channel.type === "D" || channel.type === "G")
    return setPreferences(caller, hidingPreferences(channel, ownId));
  // The wish is recorded first, so that a crash in between does not undo it.
  await Promise.all([
    forgetOpened(context, ownId, channelId),
    ...(channel.type === "O" ? [rememberLeft(chat.store, ownId, channelId)] : []),
  ]);
  try {
    await leave(caller, channelId);
  } catch (error) {
    if (isRefusal(error, "api.channel.remove.default.app_error"))
      throw new CodedError("forbidden", { message: "Nobody can leave this channel.", cause: error });
    // The caller is not a member, which is the desired state.
    if (!isRefusal(error, "app.channel.get_member.missing.app_error")) throw error;
  }
  forgetMemberCount(chat, channelId);
}
