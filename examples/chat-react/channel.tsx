import type { ChatClient, Post } from "hivegate/chat";
import { useEffect, useReducer, useState } from "react";

const merge = (shown: ReadonlyMap<string, Post>, news: readonly Post[]) =>
  new Map([...shown, ...news.map((post) => [post.id, post] as const)]);

/** Shows the newest posts of a channel and a field to write in it. Set `key` to the channel's id. */
export function Channel({ chat, channelId }: { chat: ChatClient; channelId: string }) {
  const [posts, put] = useReducer(merge, new Map<string, Post>());
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const read = () => chat.posts.page(channelId).then((page) => put(page.posts), setError);
    const take = ({ post }: { post: Post }) => post.channelId === channelId && put([post]);
    const stops = [
      chat.on("posted", take),
      chat.on("post_edited", take),
      chat.on("post_deleted", ({ post }) => take({ post: { ...post, deleteAt: Date.now() } })),
      // Every connection begins with one of these events. Posts may be missing until the channel is read
      // again.
      ...(["gap", "resumed"] as const).map((name) => chat.on(name, read)),
    ];
    chat.connect();
    void read();
    return () => {
      for (const stop of stops) stop();
    };
  }, [chat, channelId]);
  const send = async (form: FormData) => {
    const message = String(form.get("message"));
    await chat.posts.create(channelId, { message }).catch(setError);
  };
  const shown = [...posts.values()].sort((one, other) => one.createAt - other.createAt);
  return (
    <form action={send}>
      {shown.map(({ id, message, deleteAt }) => deleteAt === 0 && <p key={id}>{message}</p>)}
      {error && <p role="alert">{error.message}</p>}
      <input name="message" aria-label="Message" onKeyDown={() => chat.sendTyping(channelId)} />
    </form>
  );
}
