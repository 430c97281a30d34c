import type { Backend } from "../backend.ts";
import { listPostsByIds, type PostRow } from "../model/posts.ts";
import { type Collapsed, renderPosts } from "./post.ts";

export type PostListOptions = {
  next?: string;
  prev?: string;
  hasNext?: boolean;
  collapsed?: Collapsed | undefined;
  /** Which posts tell how many replies they have: all unless told otherwise. */
  countsReplies?: (row: PostRow) => boolean;
  /** Whether the roots of listed replies are added to `posts`. */
  withRoots?: boolean;
  /** More that is in `posts` without being in the order. */
  beside?: readonly PostRow[];
  /** When the order is not that of the rows. */
  order?: string[];
};

/** The rows that a list holds besides its order: the roots of replies, and what else is asked for. */
function rowsBeside(backend: Backend, rows: readonly PostRow[], options: PostListOptions): PostRow[] {
  const beside = [...(options.beside ?? [])];
  if (!options.withRoots) return beside;
  const present = new Set([...rows, ...beside].map((row) => row.id));
  const missing = new Set(rows.map((row) => row.root_id).filter((id) => id !== "" && !present.has(id)));
  return missing.size > 0 ? [...beside, ...listPostsByIds(backend.db, [...missing])] : beside;
}

/** Rows, newest first, as the list a client gets. A deleted post is listed without its words. */
export function renderPostList(
  backend: Backend,
  rows: readonly PostRow[],
  options: PostListOptions = {},
): Record<string, unknown> {
  const isGone = (row: PostRow) => row.delete_at > 0 && row.original_id === "";
  const all = [...rows, ...rowsBeside(backend, rows, options)];
  const shown = all.map((row) => (isGone(row) ? { ...row, message: "" } : row));
  const posts = renderPosts(backend, shown, options);
  return {
    order: options.order ?? rows.map((row) => row.id),
    posts: Object.fromEntries(posts.map((post) => [post.id, post])),
    next_post_id: options.next ?? "",
    prev_post_id: options.prev ?? "",
    has_next: options.hasNext ?? false,
    ...(backend.isV11 && { first_inaccessible_post_time: 0 }),
  };
}
