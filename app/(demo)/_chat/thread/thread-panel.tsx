"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Bell, BellOff, X } from "lucide-react";
import { memo, type RefObject, useLayoutEffect, useMemo, useRef, useState } from "react";
import { problemOf } from "../../_session/problem-of.ts";
import { FailureDetails } from "../../_session/unavailable.tsx";
import { Button } from "../../_ui/button.tsx";
import { useLanguage } from "../../_ui/choose-language.ts";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { panelPlace, panelRole, useIsCovering, useTabHold } from "../../_ui/panel.ts";
import { hasKeys } from "../../_ui/text-field.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat, useConversation, useOutgoing } from "../chat-context.ts";
import { Composer } from "../composer/composer.tsx";
import { TypingLine } from "../composer/typing-line.tsx";
import { changePost, queryKeys } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import type { Post } from "../data/model.ts";
import { dayInSentence } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { useMarkThreadRead, useThreadNews, useThreadOpening } from "../data/use-inbox.ts";
import { useThread } from "../data/use-timeline.ts";
import { useWindowFocus } from "../data/use-view.ts";
import type { ListHandle, Place } from "../list/list-handle.ts";
import { MessageList } from "../list/message-list.tsx";
import { Message } from "../message/message.tsx";
import { PendingMessage } from "../message/pending-message.tsx";
import { prepareMessages, prepareText } from "../message/prepare-texts.ts";
import { StandingBar } from "../people/standing-bar.tsx";
import { AwaitedMessages } from "../shell/awaited-messages.tsx";
import { strings } from "../strings.en.ts";
import { findLastOwn, firstNewOf, keyOf, type Row, rowsOf } from "../timeline/rows.ts";
import { Announcer, DayLine, NewLine } from "../timeline/timeline-lines.tsx";

/** A message with its replies, next to the channel, or as a dialog over it if there is no room. */
export function ThreadPanel({
  channelId,
  rootId,
  place,
  isPrivate,
  memberCount,
  highlighted,
  onClose,
}: {
  channelId: string;
  rootId: string;
  /** The channel's name. */
  place: string;
  isPrivate: boolean;
  /** Number of members of the channel, if known. */
  memberCount: number | undefined;
  highlighted: string | null;
  onClose: () => void;
}) {
  const { me } = useChat();
  const { isMember, standing, setEditingId } = useConversation();
  const thread = useThread(channelId, rootId, prepareMessages);
  const outgoing = useOutgoing(channelId, rootId);
  const list = useRef<ListHandle>(null);
  const panel = useRef<HTMLDivElement>(null);
  const isCovering = useIsCovering();
  useTabHold(panel, isCovering);
  useLayoutEffect(() => {
    // A focused text box would open the keyboard of a touch screen over the replies.
    if (isCovering && !panel.current?.contains(document.activeElement)) panel.current?.focus();
  }, [isCovering]);
  const posts = useMemo(() => thread.data ?? [], [thread.data]);

  const root = posts[0];
  const author = useUser(root?.userId ?? "");
  const newAfter = useThreadOpening(rootId);

  const editLast = () => {
    const last = findLastOwn(posts, outgoing, me.id, rootId);
    if (last) setEditingId(last);
  };

  return (
    <div
      ref={panel}
      tabIndex={-1}
      {...panelRole(strings.thread.title, isCovering)}
      className={`${panelPlace} bg-canvas outline-none`}
    >
      <div className="flex h-15 shrink-0 items-center justify-between border-b border-line bg-surface pe-2 ps-4">
        <div className="min-w-0">
          <h2 className="font-semibold">{strings.thread.title}</h2>
          {root && (
            <p dir="auto" className="truncate text-xs text-ink-soft">
              {strings.thread.of(
                author?.username ?? strings.sidebar.unknownPerson,
                place,
                dayInSentence(root.createAt),
              )}
            </p>
          )}
        </div>
        <div className="flex shrink-0 items-center">
          {isMember && root && <FollowButton root={root} />}
          <IconButton label={strings.thread.close} onClick={onClose}>
            <X aria-hidden size={18} />
          </IconButton>
        </div>
      </div>
      {(thread.isPending || (thread.data && newAfter === undefined)) && <AwaitedMessages />}
      {thread.isError && !thread.data && (
        <div className="m-auto p-6">
          <Notice
            tone="danger"
            title={strings.thread.failed}
            actions={
              <Button tone="primary" isBusy={thread.isFetching} onClick={() => void thread.refetch()}>
                {strings.failed.retry}
              </Button>
            }
          >
            <p>{problemOf(thread.error)}</p>
            <FailureDetails error={thread.error} />
          </Notice>
        </div>
      )}
      {thread.data && newAfter !== undefined && (
        <ThreadList
          list={list}
          channelId={channelId}
          rootId={rootId}
          posts={posts}
          highlighted={highlighted}
          newAfter={newAfter}
        />
      )}
      {standing !== "member" && standing !== "guest" && (
        <StandingBar channelId={channelId} rootId={rootId} standing={standing} isPrivate={isPrivate} />
      )}
      {isMember && (
        <div className="column pb-3">
          <TypingLine channelId={channelId} rootId={rootId} />
          <Composer
            autoFocus={hasKeys()}
            channelId={channelId}
            rootId={rootId}
            name=""
            memberCount={memberCount}
            onText={prepareText}
            onSent={() => list.current?.show("end")}
            onEditLast={editLast}
          />
        </div>
      )}
    </div>
  );
}

/** Follows or unfollows the thread. Hidden if threads are not separate, because they have no counts then. */
function FollowButton({ root }: { root: Post }) {
  const cache = useQueryClient();
  const isApart = useThreadNews() !== null;
  if (!isApart) return null;
  const isFollowed = root.isFollowing === true;
  const Icon = isFollowed ? BellOff : Bell;
  const toggle = async () => {
    await chatClient.threads.setFollowed(root.id, { follow: !isFollowed });
    changePost(cache, root.id, (post) => ({ ...post, isFollowing: !isFollowed }));
    await cache.invalidateQueries({ queryKey: queryKeys.inbox });
  };
  return (
    <IconButton
      label={isFollowed ? strings.thread.unfollow : strings.thread.follow}
      onClick={() => void toggle().catch(() => toast.error(strings.toast.failed))}
    >
      <Icon aria-hidden size={18} />
    </IconButton>
  );
}

/**
 * A root that stays in view, with its replies below it, oldest first. Opens at the linked reply, at the first
 * new one, or at the newest.
 */
function ThreadList({
  list,
  channelId,
  rootId,
  posts,
  highlighted,
  newAfter,
}: {
  list: RefObject<ListHandle | null>;
  channelId: string;
  rootId: string;
  posts: readonly Post[];
  highlighted: string | null;
  newAfter: number | null;
}) {
  const { me } = useChat();
  const pending = useOutgoing(channelId, rootId);
  const [root, ...replies] = posts;
  const rows = useMemo(
    () => rowsOf(posts.slice(1), pending, { myId: me.id, lastViewedAt: newAfter, isStart: true }),
    [posts, pending, me.id, newAfter],
  );
  const [start] = useState((): Place => {
    const linked = posts.find(({ id, rootId }) => id === highlighted && rootId !== "");
    if (linked) return { key: keyOf(linked), align: "center" };
    const firstNew = firstNewOf(rows);
    return firstNew ? { key: firstNew.key, align: "start" } : "end";
  });
  const [isAtEnd, setIsAtEnd] = useState(false);
  useMarkThreadRead(rootId, posts.at(-1), useWindowFocus() && isAtEnd);
  return (
    <>
      {root && (
        // In a low window the root shows its author and two lines, and the replies get the remaining room. The
        // actions of the root may take up the room above it, which is therefore part of what scrolls.
        <div className="max-h-[45%] shrink-0 overflow-y-auto border-b border-line bg-surface pb-2 low:max-h-[5.4375rem] low:compact:max-h-[4.5625rem]">
          <div className="pt-4 low:pt-1">
            <Message post={root} isGrouped={false} isLinked={false} isInThread isFolded />
            <p className="column pt-1 text-xs text-ink-soft">
              <span className="block ps-12">
                {replies.length === 0 ? strings.thread.noReplies : strings.message.replies(replies.length)}
              </span>
            </p>
          </div>
        </div>
      )}
      <MessageList
        ref={list}
        label={strings.thread.title}
        rows={rows}
        start={start}
        isComplete
        isFromTop
        onView={(view) => setIsAtEnd(view.isAtEnd)}
      >
        {(row) => <ThreadRow row={row} highlighted={highlighted} />}
      </MessageList>
      <Announcer last={posts.at(-1)} />
    </>
  );
}

/** A reply. */
const ThreadRow = memo(function ThreadRow({ row, highlighted }: { row: Row; highlighted: string | null }) {
  useLanguage();
  if (row.kind === "pending") return <PendingMessage post={row.post} />;
  const { post, startsDay, isGrouped, isFirstNew } = row;
  return (
    <>
      {startsDay && <DayLine time={post.createAt} />}
      {isFirstNew && <NewLine />}
      <Message post={post} isGrouped={isGrouped} isLinked={post.id === highlighted} isInThread />
    </>
  );
});
