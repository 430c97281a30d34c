import { readVisiblePost } from "../chat/posts/require-post.ts";
import { openSession } from "../chat/session/session.ts";
import { currentConfig } from "../config.ts";
import { CodedError } from "../errors.ts";
import { refuseCrossSite } from "../http/origin.ts";
import { readToken } from "../http/token.ts";
import { readUsers } from "../mattermost/users.ts";

/**
 * Checks that the account wrote the message, for a caller who may read it: to anybody else the author of a message is
 * none of their business, and strangers may read none.
 * @throws CodedError `unauthorized` without a chat token; `not_found` for a message that is not there or that the caller
 * may not read; `invalid_request` for somebody else's
 */
export async function checkAuthor(request: Request, postId: string, account: string): Promise<void> {
  const { pat, carrier } = readToken(request.headers);
  if (carrier === "cookie") refuseCrossSite(request, currentConfig());
  const session = await openSession(pat, request.signal);
  const post = await readVisiblePost(session, postId);
  const [author] = await readUsers(session.gateway.admin, [post.user_id]);
  if (author?.username !== account)
    throw new CodedError("invalid_request", {
      issues: [{ path: "to", message: "did not write this message" }],
    });
}
