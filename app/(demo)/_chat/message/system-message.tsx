import type { Post } from "../data/model.ts";
import { clockTime, exactTime } from "../timeline/times.ts";

/** What the chat server itself tells: somebody came, left, renamed. */
export function SystemMessage({ post }: { post: Post }) {
  if (post.delete_at > 0) return <div className="h-px" />;
  return (
    <p dir="auto" className="overflow-clip px-4 py-1.5 pl-16 text-xs text-ink-soft [overflow-wrap:anywhere]">
      {post.message}{" "}
      <time dateTime={new Date(post.create_at).toISOString()} title={exactTime(post.create_at)}>
        {clockTime(post.create_at)}
      </time>
    </p>
  );
}
