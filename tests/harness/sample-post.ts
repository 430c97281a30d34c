import type { Post } from "../../app/(demo)/_chat/data/model.ts";

/** A post for tests; ids are derived from the arguments. */
export function samplePost(id: string, change: Partial<Post> = {}): Post {
  return {
    id,
    channel_id: "room",
    user_id: "bob",
    root_id: "",
    message: `text of ${id}`,
    type: "",
    create_at: 1_000,
    update_at: 1_000,
    edit_at: 0,
    delete_at: 0,
    ...change,
  };
}
