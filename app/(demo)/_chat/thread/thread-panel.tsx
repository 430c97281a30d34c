"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Bell, BellOff, X } from "lucide-react";
import { useMemo, useRef } from "react";
import { toast } from "sonner";
import { FailureDetails } from "../../_session/unavailable.tsx";
import { Button } from "../../_ui/button.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { panelRole, useTabHold } from "../../_ui/panel.ts";
import { useMediaQuery } from "../../_ui/use-media-query.ts";
import { useChat, useOutgoing } from "../chat-context.ts";
import { Composer } from "../composer/composer.tsx";
import { hasMouse } from "../composer/focus-composer.ts";
import { TypingLine } from "../composer/typing-line.tsx";
import { changePost, queryKeys } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import type { Post } from "../data/model.ts";
import { dayName } from "../data/times.ts";
import { useUser } from "../data/use-channels.ts";
import { useMarkThreadRead, useThreadNews } from "../data/use-inbox.ts";
import { useThread } from "../data/use-timeline.ts";
import { useWindowFocus } from "../data/use-view.ts";
import type { ListHandle } from "../list/list-handle.ts";
import { useConversation } from "../message/conversation-context.ts";
import { TimelineSkeleton } from "../shell/chat-skeleton.tsx";
import { strings } from "../strings.en.ts";
import { findLastOwn } from "../timeline/rows.ts";
import { ThreadList } from "./thread-list.tsx";

/** Below this a thread has no room beside the channel and covers it. */
const COVERS = "(max-width: 639px)";

/** A message with its replies, beside the channel; on a phone in its place. */
export function ThreadPanel({
  channelId,
  rootId,
  place,
  highlighted,
  onClose,
}: {
  channelId: string;
  rootId: string;
  /** The channel's name. */
  place: string;
  highlighted: string | null;
  onClose: () => void;
}) {
  const { me } = useChat();
  const { isMember, setEditingId } = useConversation();
  const thread = useThread(channelId, rootId);
  const outgoing = useOutgoing(channelId, rootId);
  const list = useRef<ListHandle>(null);
  const panel = useRef<HTMLDivElement>(null);
  const isCovering = useMediaQuery(COVERS);
  useTabHold(panel, isCovering);
  const posts = useMemo(() => thread.data ?? [], [thread.data]);

  const root = posts[0];
  const author = useUser(root?.user_id ?? "");
  useMarkThreadRead(rootId, posts.at(-1), useWindowFocus());

  const editLast = () => {
    const last = findLastOwn(posts, outgoing, me.id, rootId);
    if (last) setEditingId(last);
  };

  return (
    <div
      ref={panel}
      {...panelRole(strings.thread.title, isCovering)}
      className="fixed inset-0 z-30 flex w-full flex-col border-l border-line bg-canvas max-lg:shadow-lift sm:left-auto sm:w-[26rem] lg:static lg:w-88 lg:shrink-0 xl:w-[26rem]"
    >
      <div className="flex h-15 shrink-0 items-center justify-between border-b border-line bg-surface pr-2 pl-4">
        <div className="min-w-0">
          <h2 className="font-semibold">{strings.thread.title}</h2>
          {root && (
            <p dir="auto" className="truncate text-xs text-ink-soft">
              {strings.thread.of(
                author?.username ?? strings.sidebar.unknownPerson,
                place,
                dayName(root.create_at),
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
      {thread.isPending && <TimelineSkeleton className="grow overflow-hidden" />}
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
            <p>{thread.error.message}</p>
            <FailureDetails error={thread.error} />
          </Notice>
        </div>
      )}
      {thread.data && (
        <ThreadList
          list={list}
          channelId={channelId}
          rootId={rootId}
          posts={posts}
          highlighted={highlighted}
        />
      )}
      {isMember && (
        <div className="column pb-3">
          <TypingLine channelId={channelId} rootId={rootId} />
          <Composer
            autoFocus={hasMouse()}
            channelId={channelId}
            rootId={rootId}
            name=""
            onSent={() => list.current?.show("end")}
            onEditLast={editLast}
          />
        </div>
      )}
    </div>
  );
}

/** Follows the thread, or gives it up; nothing where threads are not kept apart, as none is counted there. */
function FollowButton({ root }: { root: Post }) {
  const cache = useQueryClient();
  const isApart = useThreadNews() !== null;
  if (!isApart) return null;
  const isFollowed = root.is_following === true;
  const Icon = isFollowed ? BellOff : Bell;
  const toggle = async () => {
    await chatClient.threads.setFollowed(root.id, !isFollowed);
    changePost(cache, root.id, (post) => ({ ...post, is_following: !isFollowed }));
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
