"use client";

import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { CheckCheck } from "lucide-react";
import Link from "next/link";
import { useRouter, useSearchParams } from "next/navigation";
import type { FollowedThread } from "#lib/chat-client/index.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { momentOf } from "../../_ui/language.ts";
import { closeThen } from "../../_ui/panel.ts";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat, usePanel } from "../chat-context.ts";
import { queryKeys } from "../data/cache.ts";
import { saidIn } from "../data/channel-news.ts";
import { channelName } from "../data/channels.ts";
import { chatClient } from "../data/chat-client.ts";
import { fetchFurther } from "../data/fetch-further.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useChannels, useUser } from "../data/use-channels.ts";
import { useInbox } from "../data/use-inbox.ts";
import { emojify } from "../emoji/emojify.ts";
import { MessageExcerpt } from "../message/message-text.tsx";
import { usePreparedMessages } from "../message/prepare-texts.ts";
import { shorten } from "../message/shorten.ts";
import { strings } from "../strings.en.ts";
import { UnreadMark } from "./channel-row.tsx";

/** The followed threads, next to the conversation or, on a phone, over it. */
export function ThreadInbox({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const { data } = useInbox();
  const isUnread = (data?.pages[0]?.totalUnread ?? 0) > 0;
  const markAllRead = async () => {
    await chatClient.threads.markAllRead();
    await cache.invalidateQueries({ queryKey: queryKeys.inbox });
  };
  return (
    <SidePanel title={strings.threads.title} onClose={onClose}>
      {isUnread && (
        <div className="border-b border-line px-4 pb-3">
          <Button
            size="small"
            onClick={() => void markAllRead().catch(() => toast.error(strings.toast.failed))}
          >
            <CheckCheck aria-hidden size={15} />
            {strings.threads.markAllRead}
          </Button>
        </div>
      )}
      <div className="grow overflow-y-auto">
        <Threads />
      </div>
    </SidePanel>
  );
}

function Threads() {
  const { me } = useChat();
  const own = useChannels().data ?? [];
  const { data, isError, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInbox();
  if (data === undefined)
    return isError ? (
      <div role="alert" className="p-4 text-sm">
        <p className="mb-3">{strings.threads.failed}</p>
        <Button size="small" onClick={() => void refetch()}>
          {strings.failed.retry}
        </Button>
      </div>
    ) : (
      <Skeleton className="m-4 h-16" />
    );
  const threads = data.pages.flatMap((page) => page.threads);
  if (threads.length === 0) return <p className="p-4 text-sm text-ink-soft">{strings.threads.none}</p>;
  const channels = Object.assign({}, ...data.pages.map((page) => page.channels));
  return (
    <>
      <ul aria-label={strings.threads.title}>
        {threads.map((thread) => {
          const channel = own.find(({ id }) => id === thread.channelId) ?? channels[thread.channelId];
          return (
            <ThreadEntry key={thread.id} thread={thread} place={channel ? channelName(channel, me.id) : ""} />
          );
        })}
      </ul>
      {hasNextPage && (
        <div className="p-4 text-center">
          <Button
            size="small"
            isBusy={isFetchingNextPage}
            onClick={() => void fetchFurther(fetchNextPage, data.pages.length)}
          >
            {strings.threads.more}
          </Button>
        </div>
      )}
    </>
  );
}

/** A thread, shown by its root's first lines; opens beside its channel. */
function ThreadEntry({ thread, place }: { thread: FollowedThread; place: string }) {
  const { id, channelId, post, lastReplyAt, replyCount, unreadReplies, unreadMentions } = thread;
  const { me } = useChat();
  const { leaveFor } = usePanel();
  usePreparedMessages();
  const text = shorten(saidIn(post));
  const author = useUser(post.userId);
  const router = useRouter();
  const isOpen = useSearchParams().get("thread") === id;
  const address = `/chat/${channelId}?thread=${id}`;
  const name = author?.username ?? strings.sidebar.unknownPerson;
  const isUnread = unreadReplies > 0;
  return (
    <li>
      <Link
        href={address}
        prefetch={false}
        aria-current={isOpen ? "true" : undefined}
        onNavigate={(event) => {
          event.preventDefault();
          closeThen(() => {
            leaveFor(id, "threads");
            router.push(address);
          });
        }}
        className={clsx("block border-b border-line px-4 py-3", isOpen ? "bg-selected" : "hover:bg-sunken")}
      >
        <span className="flex items-center gap-2 text-xs text-ink-soft">
          <span dir="auto" className="truncate font-medium">
            {place}
          </span>
          <time dateTime={new Date(lastReplyAt).toISOString()} className="ms-auto shrink-0">
            {momentOf(lastReplyAt)}
          </time>
        </span>
        <span className="mt-2 flex gap-2.5">
          <Avatar size="small" name={name} imageUrl={author ? pictureOf(author) : undefined} />
          <span className="min-w-0 grow">
            <span className="block text-sm font-semibold">{name}</span>
            <span dir="auto" className="mt-0.5 line-clamp-3 text-sm [overflow-wrap:anywhere]">
              <MessageExcerpt text={text} myName={me.username} plain={emojify(text)} />
            </span>
            <span
              className={clsx(
                "mt-1 flex items-center gap-2 text-xs",
                isUnread ? "font-semibold text-ink" : "text-ink-soft",
              )}
            >
              <span>
                {isUnread ? strings.threads.newReplies(unreadReplies) : strings.message.replies(replyCount)}
              </span>
              <UnreadMark count={unreadMentions} isUnread={isUnread} />
            </span>
          </span>
        </span>
      </Link>
    </li>
  );
}
