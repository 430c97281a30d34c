import type { Post } from "../../app/(demo)/_chat/data/model.ts";

/** Creates a post for tests. Its id and text come from the first argument. */
export function samplePost(id: string, change: Partial<Post> = {}): Post {
  return {
    id,
    channelId: "room",
    userId: "bob",
    rootId: "",
    message: `text of ${id}`,
    type: "",
    createAt: 1_000,
    updateAt: 1_000,
    editAt: 0,
    deleteAt: 0,
    ...change,
  };
}
