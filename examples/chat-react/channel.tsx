import type { ChatClient, Post } from "hivegate/chat";
import { type FormEvent, useEffect, useState } from "react";

/** A channel's posts by id: the newest page, and what happens from then on. */
function usePosts(chat: ChatClient, channelId: string, onError: (error: Error) => void) {
  const [posts, setPosts] = useState<ReadonlyMap<string, Post>>(new Map());
  useEffect(() => {
    const leaving = new AbortController();
    const put = (...news: Post[]) =>
      setPosts((shown) => new Map([...shown, ...news.map((post) => [post.id, post] as const)]));
    const putOwn = ({ post }: { post: Post }) => post.channel_id === channelId && put(post);
    const read = () =>
      chat.posts.page(channelId, { signal: leaving.signal }).then(
        ({ posts: page }) => put(...page),
        (error) => leaving.signal.aborted || onError(error),
      );
    // `gap` follows the first connection, and every later one that lacks something.
    const stops = [
      chat.on("posted", putOwn),
      chat.on("post_edited", putOwn),
      chat.on(
        "post_deleted",
        ({ post }) => post.channel_id === channelId && put({ ...post, delete_at: Date.now() }),
      ),
      chat.on("gap", read),
    ];
    chat.connect();
    void read();
    return () => {
      leaving.abort();
      for (const stop of stops) stop();
    };
  }, [chat, channelId, onError]);
  return [...posts.values()].filter((post) => !post.delete_at).sort((a, b) => a.create_at - b.create_at);
}

/** Shows a channel and writes in it. Give it a `key` of the channel's id. */
export function Channel({ chat, channelId }: { chat: ChatClient; channelId: string }) {
  const [error, setError] = useState<Error | null>(null);
  const posts = usePosts(chat, channelId, setError);
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const message = String(new FormData(form).get("message"));
    chat.posts.create(channelId, { message }).then(() => form.reset(), setError);
  };
  return (
    <form onSubmit={send}>
      <ul>
        {posts.map(({ id, message }) => (
          <li key={id}>{message}</li>
        ))}
      </ul>
      {error && <p role="alert">{error.message}</p>}
      <input name="message" aria-label="Message" onKeyDown={() => chat.sendTyping(channelId)} />
    </form>
  );
}
