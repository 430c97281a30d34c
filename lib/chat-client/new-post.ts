export type NewPost = {
  /** Up to 16,383 characters; empty only with files. */
  message: string;
  /**
   * The root of the thread that the post replies to; empty, like a post's own `rootId`, in a post that is not a
   * reply.
   */
  rootId?: string | null;
  /**
   * The sender's own id for the post, `<user id>:<milliseconds>`: resending within half a minute creates no second
   * post.
   */
  pendingPostId?: string;
  /**
   * `me` is an action of the author, as `/me waves` in Mattermost; the message is between asterisks,
   * `*waves*`.
   */
  type?: "me";
  /** Ids from `files.upload` to the same channel, up to ten. */
  fileIds?: string[];
};
