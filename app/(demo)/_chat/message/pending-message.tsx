"use client";

import { clsx } from "clsx";
import { CloudOff } from "lucide-react";
import { strings as session } from "../../_session/problem-texts.en.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button } from "../../_ui/button.tsx";
import { useChat, useConversation } from "../chat-context.ts";
import { copyText } from "../copy.ts";
import { type OutgoingPost, pictureOf } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import { shorten, useFormatter } from "./message-text.tsx";
import { PlainText } from "./plain-text.tsx";

/** A message on its way, one that waits for the connection, or one that was refused and can be sent again. */
export function PendingMessage({ post }: { post: OutgoingPost }) {
  const { me, outbox, resend } = useChat();
  const { standing, isMember } = useConversation();
  const formatter = useFormatter();
  const hasFailed = post.state === "failed";
  const isWaiting = post.state === "waiting";
  const { problems } = session;
  return (
    <div className="column flex gap-3 pt-2.5 pb-0.5 [overflow-wrap:anywhere]">
      <Avatar name={me.username} imageUrl={pictureOf(me)} className="mt-0.5" />
      <div className="min-w-0 grow">
        <p className="flex items-baseline gap-2">
          <span className="font-semibold">{me.username}</span>
          {!hasFailed && (
            <span
              role={isWaiting ? "status" : undefined}
              className="flex items-center gap-1 text-xs text-ink-soft"
            >
              {isWaiting && <CloudOff aria-hidden size={13} />}
              {isWaiting ? strings.message.waiting : strings.message.sending}
            </span>
          )}
        </p>
        <div dir="auto" className={clsx("overflow-clip text-md", !hasFailed && "opacity-70")}>
          <PlainText text={shorten(post.message)} myName={me.username} />
          {post.files && formatter && <formatter.Files files={post.files} />}
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
              {strings.message.notSent}{" "}
              {isMember
                ? (post.code && problems[post.code]) || post.problem
                : strings.message.notSentAs[
                    standing === "archived" || standing === "deactivated" ? standing : "out"
                  ]}
            </span>
            {isMember ? (
              <Button size="small" onClick={() => resend(post.pendingId)}>
                {strings.message.retry}
              </Button>
            ) : (
              <Button size="small" onClick={() => void copyText(post.message)}>
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
