"use client";

import { MessageSquareText } from "lucide-react";
import type { Post } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import { useConversation } from "./conversation-context.ts";

/** How many replies a message has; opens them. */
export function ThreadSummary({ post }: { post: Post }) {
  const { openThread } = useConversation();
  return (
    <button
      type="button"
      onClick={() => openThread(post.id)}
      className="mt-1 mb-0.5 inline-flex items-center gap-2 rounded-lg border border-line bg-surface px-2.5 py-1 text-sm pointer-coarse:min-h-10 font-medium text-accent-text hover:border-line-strong"
    >
      <MessageSquareText aria-hidden size={15} />
      {strings.message.replies(post.reply_count ?? 0)}
    </button>
  );
}
