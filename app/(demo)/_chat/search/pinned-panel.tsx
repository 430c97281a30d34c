"use client";

import { PinOff } from "lucide-react";
import { problemOf } from "../../_session/problem-of.ts";
import { Button } from "../../_ui/button.tsx";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { Skeleton } from "../../_ui/skeleton.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import type { Post } from "../data/model.ts";
import { usePostActions } from "../data/post-actions.ts";
import { useChannels, useUser } from "../data/use-channels.ts";
import { usePinned } from "../data/use-timeline.ts";
import { usePreparedMessages } from "../message/prepare-texts.ts";
import { strings } from "../strings.en.ts";
import { SearchResult } from "./search-panel.tsx";

/** The pinned posts of a channel, next to the channel or, on a phone, over it. */
export function PinnedPanel({ channelId, onClose }: { channelId: string; onClose: () => void }) {
  return (
    <SidePanel title={strings.pinned.title} onClose={onClose}>
      <div className="grow overflow-y-auto border-t border-line">
        <PinnedPosts channelId={channelId} />
      </div>
    </SidePanel>
  );
}

function PinnedPosts({ channelId }: { channelId: string }) {
  const isMember = useChannels().data?.some(({ id }) => id === channelId) ?? false;
  const { data, isError, refetch } = usePinned(channelId);
  usePreparedMessages();
  if (data === undefined)
    return isError ? (
      <div role="alert" className="p-4 text-sm">
        <p className="mb-3">{strings.pinned.failed}</p>
        <Button size="small" onClick={() => void refetch()}>
          {strings.failed.retry}
        </Button>
      </div>
    ) : (
      <Skeleton className="m-4 h-16" />
    );
  const none = isMember ? strings.pinned.none : strings.pinned.noneYet;
  if (data.posts.length === 0) return <p className="p-4 text-sm text-ink-soft">{none}</p>;
  return (
    <ul aria-label={strings.pinned.title}>
      {data.posts.map((post) => (
        <PinnedPost key={post.id} post={post} isMember={isMember} />
      ))}
    </ul>
  );
}

/** A pinned post, which links to its place in the channel. */
function PinnedPost({ post, isMember }: { post: Post; isMember: boolean }) {
  const { me } = useChat();
  const author = useUser(post.userId);
  const { pin } = usePostActions(me.id);
  const unpin = () => {
    pin.mutateAsync({ post, isPinned: false }).catch((error: unknown) => toast.error(problemOf(error)));
  };
  return (
    <SearchResult post={post} author={author} place={post.rootId ? strings.thread.title : ""}>
      {isMember && (
        <div className="px-3 pb-2">
          <Button size="small" tone="plain" onClick={unpin}>
            <PinOff aria-hidden size={14} />
            {strings.message.unpin}
          </Button>
        </div>
      )}
    </SearchResult>
  );
}
