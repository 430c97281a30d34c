import { CodedError } from "../errors.ts";
import { isRefusal } from "../mattermost/backend-error.ts";
import { viewChannel } from "../mattermost/channels.ts";
import type { Session } from "./session.ts";

/** Marks a channel and its threads read. @throws CodedError `not_found` when the caller is no member */
export async function markViewed({ caller }: Session, channelId: string): Promise<void> {
  try {
    await viewChannel(caller, channelId);
  } catch (error) {
    if (isRefusal(error, "app.channel.update_last_viewed_at.app_error"))
      throw new CodedError("not_found", { cause: error });
    throw error;
  }
}
