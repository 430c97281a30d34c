"use client";

import { MessageCircleOff } from "lucide-react";
import Link from "next/link";
import { useLayoutEffect } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { problemOf } from "../../_session/problem-of.ts";
import { FailureDetails } from "../../_session/unavailable.tsx";
import { Button, buttonLook } from "../../_ui/button.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { dropLooks } from "../../_ui/shown-looks.ts";
import { usePanel } from "../chat-context.ts";
import { endNext } from "../data/next-channel.ts";
import { JoinButton } from "../people/standing-bar.tsx";
import { strings } from "../strings.en.ts";

export const UnplacedFiles = loadPart(() =>
  import("./unplaced-files.tsx").then((module) => module.UnplacedFiles),
);

/** Explains why a channel can't be shown, and offers a way on: a retry, its latest messages, or the list. */
export function ChannelFailure({
  channelId,
  error,
  isAnchored,
  isMember,
  isBusy,
  onRetry,
  onLatest,
}: {
  channelId: string;
  error: Error;
  isAnchored: boolean;
  isMember: boolean;
  isBusy: boolean;
  onRetry: () => void;
  onLatest: () => void;
}) {
  const { open } = usePanel();
  useLayoutEffect(dropLooks, []);
  useLayoutEffect(() => endNext(channelId), [channelId]);
  const status = error instanceof ChatError ? error.status : 0;
  const isMissing = status === 404 || status === 403;
  const isGone = isMissing && isAnchored;
  const isClosed = status === 403 && !isAnchored;
  const missingText = isGone ? strings.timeline.gone : strings.channel[isClosed ? "notMember" : "notFound"];
  return (
    <div className="m-auto max-w-md p-6">
      <Notice
        heading="h1"
        tone={isMissing ? "neutral" : "danger"}
        icon={<MessageCircleOff aria-hidden size={28} />}
        title={isMissing ? missingText : strings.timeline.failed}
        actions={
          <>
            {isGone && (
              <Button tone="primary" onClick={onLatest}>
                {strings.timeline.jumpToLatest}
              </Button>
            )}
            {isClosed && <JoinButton channelId={channelId} />}
            {!isMissing && (
              <Button tone="primary" isBusy={isBusy} onClick={onRetry}>
                {strings.failed.retry}
              </Button>
            )}
            {isMissing && !isGone && !isClosed && (
              <Button tone="primary" onClick={() => open("browse")}>
                {strings.sidebar.browse}
              </Button>
            )}
            <Link href="/chat" prefetch={false} className={buttonLook()}>
              {strings.channel.back}
            </Link>
          </>
        }
      >
        {isMissing && !isGone && <p>{strings.channel.notFoundHint}</p>}
        {!isMissing && (
          <>
            <p>{problemOf(error)}</p>
            <FailureDetails error={error} />
          </>
        )}
      </Notice>
      <UnplacedFiles
        channelId={channelId}
        refusal={isMissing ? missingText : isMember ? null : problemOf(error)}
      />
    </div>
  );
}
