"use client";

import { clsx } from "clsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { groupReactions } from "../data/post-actions.ts";
import { useUsers } from "../data/use-channels.ts";
import { emojiOf } from "../emoji/emojify.ts";
import { strings } from "../strings.en.ts";
import { useConversation } from "./conversation-context.ts";
import { useReact } from "./message-acts.tsx";

const NAMED = 12;

const TipChip = loadPart(() => import("../../_pay/tip-chip.tsx").then((module) => module.TipChip));

/** The reactions to a message, each a button that adds or takes back one's own, and what it was tipped. */
export function ReactionChips({ post }: { post: Post }) {
  return (
    <div className="flex flex-wrap gap-1.5 pt-1 pb-0.5 empty:hidden">
      {post.metadata?.reactions?.length ? <Chips post={post} /> : null}
      <TipChip postId={post.id} />
    </div>
  );
}

function Chips({ post }: { post: Post }) {
  const { me } = useChat();
  const { isMember } = useConversation();
  const users = useUsers();
  const react = useReact(post);
  const nameOf = (id: string) => users[id]?.username ?? strings.sidebar.unknownPerson;
  return groupReactions(post).map(({ emoji, userIds }) => {
    const isOwn = userIds.includes(me.id);
    return (
      <button
        key={emoji}
        type="button"
        aria-pressed={isOwn}
        aria-label={strings.message.toggle(emoji, userIds.length)}
        title={strings.message.reactedBy(userIds.slice(0, NAMED).map(nameOf).join(", "), emoji)}
        disabled={!isMember}
        onClick={() => react(emoji)}
        className={clsx(
          "inline-flex h-7 max-w-full items-center gap-1.5 rounded-full border px-2 text-sm pointer-coarse:h-10 pointer-coarse:px-3",
          isOwn
            ? "border-line-strong bg-selected text-ink"
            : "border-line bg-surface text-ink-soft hover:border-line-strong",
        )}
      >
        <span className="truncate">{emojiOf(emoji) ?? `:${emoji}:`}</span>
        <span className="text-xs font-medium tabular-nums">{userIds.length}</span>
      </button>
    );
  });
}
