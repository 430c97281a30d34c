import { z } from "zod";

/** A reaction on a post. */
const Reaction = z.looseObject({ user_id: z.string(), emoji_name: z.string() });

/** A post; fields that are not used here pass through. */
export const Post = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  root_id: z.string(),
  message: z.string(),
  create_at: z.number(),
  delete_at: z.number().default(0),
  participants: z.array(z.looseObject({ id: z.string() })).nullish(),
  metadata: z.looseObject({ reactions: z.array(Reaction).nullish() }).nullish(),
});
export type Post = z.infer<typeof Post>;

/** `posts` may hold more than `order`, and `order` the same id twice. */
export const PostList = z.object({
  order: z
    .array(z.string())
    .nullable()
    .transform((ids) => ids ?? []),
  posts: z
    .record(z.string(), Post)
    .nullable()
    .transform((posts) => posts ?? {}),
  next_post_id: z.string().default(""),
  prev_post_id: z.string().default(""),
});
export type PostList = z.infer<typeof PostList>;
