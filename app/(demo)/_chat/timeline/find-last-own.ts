import type { Post } from "../data/model.ts";

/** The newest message of a person that can still be edited. */
export function findLastOwn(posts: readonly Post[], userId: string, rootId = ""): Post | undefined {
  return posts.findLast(
    (post) => post.user_id === userId && post.root_id === rootId && post.type === "" && post.delete_at === 0,
  );
}
