import { CodedError } from "../../errors.ts";
import { readChannel } from "../../mattermost/channels.ts";
import { isRefusal } from "../../mattermost/exchange.ts";
import { unreadFromPost, unreadThreadFrom } from "../../mattermost/posts.ts";
import { collapsesThreads } from "../channels/channel-settings.ts";
import type { Session } from "../session/session.ts";
import { readVisiblePost } from "./post.ts";

/**
 * Makes a channel unread to the caller from a post on, on all their devices. A reply that counts apart from its channel
 * makes its thread unread, which the caller follows from then on.
 * @throws CodedError `not_found`, also for whoever is no member; `conflict` where the channel is archived
 */
export async function markUnread(session: Session, channelId: string, postId: string): Promise<void> {
  const { caller, gateway } = session;
  const [post, isCollapsed] = await Promise.all([
    readVisiblePost(session, postId),
    collapsesThreads(session),
  ]);
  if (post.channel_id !== channelId) throw new CodedError("not_found");
  if (post.root_id !== "" && isCollapsed)
    return unreadThreadFrom(caller, gateway.teamId, post.root_id, postId);
  try {
    await unreadFromPost(caller, postId, isCollapsed);
  } catch (error) {
    // Mattermost finds no count in an archived channel, and takes that for a fault of its own.
    const isUncounted = isRefusal(error, "app.channel.update_last_viewed_at_post.app_error");
    if (!isUncounted || (await readChannel(caller, channelId)).delete_at === 0) throw error;
    throw new CodedError("conflict", { message: "This channel is archived.", cause: error });
  }
}
