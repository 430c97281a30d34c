import { CodedError } from "../../errors.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import { addReaction, removeReaction } from "../../mattermost/reactions.ts";
import { readOwnId, type Session } from "../session/session.ts";
import { refuseForPost, requirePost } from "./require-post.ts";

/** Adds or takes back the caller's reaction. @throws CodedError `not_found`, `invalid_request` for an unknown emoji */
export async function react(
  session: Session,
  channelId: string,
  postId: string,
  { emoji, add }: { emoji: string; add: boolean },
): Promise<void> {
  const { caller } = session;
  const [ownId, read] = await Promise.all([
    add ? readOwnId(session) : "",
    requirePost(session, channelId, postId),
  ]);
  try {
    await (add ? addReaction(caller, ownId, postId, emoji) : removeReaction(caller, postId, emoji));
  } catch (error) {
    if (isRefusal(error, "app.emoji.get_by_name.no_result")) {
      const issues = [{ path: "emoji", message: "is no emoji of the chat server" }];
      throw new CodedError("invalid_request", { issues, cause: error });
    }
    if (isRefusal(error, "app.reaction.save.save.too_many_reactions"))
      throw new CodedError("conflict", {
        message: "This message has too many kinds of reactions.",
        cause: error,
      });
    return refuseForPost(session, postId, error, read);
  }
}
