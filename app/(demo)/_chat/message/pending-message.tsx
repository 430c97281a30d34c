"use client";

import { clsx } from "clsx";
import { CloudOff } from "lucide-react";
import { strings as session } from "../../_session/problem-texts.en.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { useChat, useConversation } from "../chat-context.ts";
import { copyText } from "../copy.ts";
import { type OutgoingPost, wordsOf } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { Files } from "../media/attachments.tsx";
import { strings } from "../strings.en.ts";
import { PlainText } from "./plain-text.tsx";
import { shorten } from "./shorten.ts";

/** A message that is being sent, waits for the connection, or was refused and can be sent again. */
export function PendingMessage({ post }: { post: OutgoingPost }) {
  const { me, outbox, resend } = useChat();
  const { standing, isMember } = useConversation();
  const hasFailed = post.state === "failed";
  const isWaiting = post.state === "waiting";
  const isAct = post.type === "me";
  const { problems } = session;
  const progress = !hasFailed && (
    <span
      role={isWaiting ? "status" : undefined}
      className={clsx(
        "items-center gap-1 text-xs text-ink-soft not-italic",
        isAct ? "ms-2 inline-flex" : "flex",
      )}
    >
      {isWaiting && <CloudOff aria-hidden size={13} />}
      <span>{isWaiting ? strings.message.waiting : strings.message.sending}</span>
    </span>
  );
  return (
    <div className="column flex gap-3 pt-2.5 pb-0.5 [overflow-wrap:anywhere]">
      <Avatar name={me.username} imageUrl={pictureOf(me)} className="mt-0.5" />
      <div className="min-w-0 grow">
        {!isAct && (
          <p className="flex items-baseline gap-2">
            <span className="font-semibold">{me.username}</span>
            {progress}
          </p>
        )}
        <div
          dir="auto"
          className={clsx("overflow-clip text-md", isAct && "pt-1 italic", !hasFailed && "opacity-70")}
        >
          {isAct && <span className="font-semibold">{me.username} </span>}
          <PlainText text={shorten(wordsOf(post))} myName={me.username} />
          {isAct && progress}
          {post.files && <Files files={post.files} />}
        </div>
        {isWaiting && (
          <Button
            size="small"
            tone="plain"
            className="mt-1 -ms-3"
            onClick={() => outbox.remove(post.pendingId)}
          >
            {strings.message.discard}
          </Button>
        )}
        {hasFailed && (
          <div role="alert" className="mt-1 flex flex-wrap items-center gap-2 text-sm text-danger">
            <span>
              {`${strings.message.notSent} ${
                isMember
                  ? (post.code && problems[post.code]) || post.problem
                  : strings.message.notSentAs[
                      standing === "archived" || standing === "deactivated" ? standing : "out"
                    ]
              }`}
            </span>
            {isMember ? (
              <Button size="small" onClick={() => resend(post.pendingId)}>
                {strings.message.retry}
              </Button>
            ) : (
              <Button size="small" onClick={() => void copyText(wordsOf(post))}>
                {strings.message.copyText}
              </Button>
            )}
            <Button size="small" tone="plain" onClick={() => outbox.remove(post.pendingId)}>
              {strings.message.discard}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}
