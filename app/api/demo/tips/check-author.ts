import { chatGateway } from "../../../../lib/chat/gateway.ts";
import { CodedError } from "../../../../lib/errors.ts";
import { readPost } from "../../../../lib/mattermost/posts.ts";
import { readUsers } from "../../../../lib/mattermost/users.ts";

/**
 * Checks that the account wrote the message.
 * @throws CodedError `not_found` for a message that is not there, `invalid_request` for somebody else's
 */
export async function checkAuthor(postId: string, account: string): Promise<void> {
  const { admin } = await chatGateway();
  const post = await readPost(admin, postId);
  const [author] = await readUsers(admin, [post.user_id]);
  if (author?.username !== account)
    throw new CodedError("invalid_request", {
      issues: [{ path: "to", message: "did not write this message" }],
    });
}
