import { setTimeout as sleep } from "node:timers/promises";
import type { NewPost } from "../../contract/requests.ts";
import { CodedError, hasCode, nullOn } from "../../errors.ts";
import { type FileInfo, readFileInfo } from "../../mattermost/files.ts";
import type { MattermostCaller } from "../../mattermost/mattermost.ts";
import { type Post, readPost } from "../../mattermost/posts.ts";
import { type CallerContext, readOwnId } from "../caller/caller-context.ts";

/** Pauses before an unknown file is looked for again: Mattermost may read a copy of its database, which lags behind. */
const PAUSES_MS = [200, 800];

/** Returns a file, or null if there is none that the caller can read. */
async function findFile(caller: MattermostCaller, id: string): Promise<FileInfo | null> {
  for (const pause of PAUSES_MS) {
    try {
      return await readFileInfo(caller, id);
    } catch (error) {
      if (hasCode(error, "forbidden")) return null;
      if (!hasCode(error, "not_found")) throw error;
      await sleep(pause);
    }
  }
  return nullOn(readFileInfo(caller, id), "not_found", "forbidden");
}

/**
 * Checks that a post without a text would show a file, because Mattermost omits files that it can't attach and accepts
 * the empty rest. Returns null, or the existing post if a repeated `pendingPostId` names its files.
 * @throws CodedError `invalid_request` if none of the files can be attached
 */
export async function requireAttachable(
  context: CallerContext,
  channelId: string,
  { message, fileIds = [], pendingPostId }: NewPost,
): Promise<Post | null> {
  const { caller } = context;
  const [ownId, ...files] = await Promise.all([
    readOwnId(context),
    ...fileIds.map((id) => findFile(caller, id)),
  ]);
  const own = files.filter((file) => file?.user_id === ownId);
  if (own.some((file) => !file?.post_id)) return null;
  const postId = own[0]?.post_id;
  if (pendingPostId && postId) {
    const post = await nullOn(readPost(caller, postId), "not_found", "forbidden");
    if (post?.channel_id === channelId && post.message === message) return post;
  }
  const issues = [
    { path: "fileIds", message: "must name a file that you uploaded and that is in no post yet" },
  ];
  throw new CodedError("invalid_request", { issues });
}
