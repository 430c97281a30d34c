"use client";

import Link from "next/link";
import { Avatar } from "../../_ui/avatar.tsx";
import { type Post, pictureOf } from "../data/model.ts";
import { exactTime } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { PresenceDot } from "../people/presence.tsx";
import { ProfileCard } from "../people/profile-card.tsx";
import { strings } from "../strings.en.ts";
import { useConversation } from "./conversation-context.ts";

/** The author's picture; a press opens their card. */
export function MessagePicture({ userId }: { userId: string }) {
  const user = useUser(userId);
  const name = user?.username ?? strings.sidebar.unknownPerson;
  return (
    <ProfileCard userId={userId}>
      <button
        type="button"
        tabIndex={-1}
        aria-label={strings.message.profileOf(name)}
        className="relative mt-0.5 block rounded-full after:absolute after:-inset-0.5"
      >
        <Avatar name={name} imageUrl={user ? pictureOf(user) : undefined} />
        <PresenceDot userId={userId} />
      </button>
    </ProfileCard>
  );
}

/** Who wrote a message and when. */
export function MessageAuthor({ post, time }: { post: Post; time: string }) {
  const { channelId } = useConversation();
  const user = useUser(post.user_id);
  return (
    <p className="flex min-w-0 items-baseline gap-2">
      <ProfileCard userId={post.user_id}>
        <button type="button" className="truncate font-semibold hover:underline">
          {user?.username ?? strings.sidebar.unknownPerson}
        </button>
      </ProfileCard>
      <Link
        prefetch={false}
        href={`/chat/${channelId}?post=${post.id}`}
        title={exactTime(post.create_at)}
        className="shrink-0 text-xs text-ink-faint hover:underline"
      >
        <time dateTime={new Date(post.create_at).toISOString()}>{time}</time>
      </Link>
    </p>
  );
}
