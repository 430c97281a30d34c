import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { readOwnMembership } from "../../mattermost/channel-members.ts";
import { viewChannel } from "../../mattermost/channels.ts";
import type { Session } from "../session/session.ts";
import { rememberOpened } from "./opened-channels.ts";

/** Marks a channel and its threads read. @throws CodedError `not_found` when the caller is no member */
export async function markViewed(session: Session, channelId: string): Promise<void> {
  const { caller } = session;
  try {
    // The backend says "OK" to channels of others too, and newer ones to those that don't exist.
    const [member] = await Promise.all([
      readOwnMembership(caller, channelId),
      viewChannel(caller, channelId),
    ]);
    await rememberOpened(session, member);
  } catch (error) {
    const isOutside = error instanceof CodedError && error.code === "forbidden";
    if (isOutside || isRefusal(error, "app.channel.update_last_viewed_at.app_error"))
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}
