import { allInOrder } from "../../async/all-in-order.ts";
import { CodedError } from "../../errors.ts";
import type { Post, PostList } from "../../mattermost/post.ts";
import { listPosts, readPost, readThread } from "../../mattermost/posts.ts";
import type { Session } from "../session/session.ts";
import { requirePost } from "./require-post.ts";

/** Which posts of a channel: the latest, those just before or after a post, around it, or a whole thread. */
export type WantedPosts = {
  perPage: number;
  before?: string | undefined;
  after?: string | undefined;
  around?: string | undefined;
  thread?: string | undefined;
};

type Fetched = { posts: Post[]; hasMore: boolean };

/** Posts oldest first; `hasMore` tells of older ones (with `after`: of newer ones). @throws CodedError `not_found` */
export async function fetchPosts(session: Session, channelId: string, wanted: WantedPosts): Promise<Fetched> {
  const { perPage, before, after, around, thread } = wanted;
  if (thread !== undefined) return fetchThread(session, channelId, thread);
  if (around !== undefined) return fetchAround(session, channelId, around, perPage);
  const anchor = before ?? after;
  const page =
    before !== undefined ? { before } : after !== undefined ? { after } : { latest: true as const };
  const [, list] = await allInOrder([
    anchor === undefined ? Promise.resolve() : requirePost(session, channelId, anchor),
    listPosts(session.caller, channelId, { perPage, ...page }),
  ]);
  const isMore = after === undefined ? list.prev_post_id !== "" : list.next_post_id !== "";
  return { posts: inOrder(list.order, list), hasMore: isMore };
}

async function fetchAround(
  { caller }: Session,
  channelId: string,
  postId: string,
  perPage: number,
): Promise<Fetched> {
  const half = Math.max(1, Math.floor(perPage / 2));
  const [post, older, newer] = await allInOrder([
    readVisible(readPost(caller, postId)),
    listPosts(caller, channelId, { perPage: half, before: postId }),
    listPosts(caller, channelId, { perPage: half, after: postId }),
  ]);
  if (post.channel_id !== channelId) throw new CodedError("not_found");
  const posts = [...inOrder(older.order, older), post, ...inOrder(newer.order, newer)];
  return { posts, hasMore: older.prev_post_id !== "" };
}

async function fetchThread({ caller }: Session, channelId: string, rootId: string): Promise<Fetched> {
  const list = await readVisible(readThread(caller, rootId));
  const root = list.posts[rootId];
  if (!root || root.channel_id !== channelId || root.root_id !== "") throw new CodedError("not_found");
  return { posts: inOrder(Object.keys(list.posts), list), hasMore: false };
}

async function readVisible<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "forbidden") throw error;
    throw new CodedError("not_found", { cause: error });
  }
}

/** Of a list only what is named: it also holds roots of replies, which belong to other pages. */
function inOrder(ids: readonly string[], { posts }: PostList): Post[] {
  const named = [...new Set(ids)].reverse().flatMap((id) => posts[id] ?? []);
  return named.filter(({ delete_at }) => delete_at === 0).sort((a, b) => a.create_at - b.create_at);
}
