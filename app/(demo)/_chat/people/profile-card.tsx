"use client";

import { ExternalLink, HandCoins, MessageSquare } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { ChatError } from "#lib/chat-client/index.ts";
import { TipOpener } from "../../_pay/tip-opener.tsx";
import { problemOf } from "../../_session/problem-of.ts";
import { Avatar } from "../../_ui/avatar.tsx";
import { Button, buttonLook } from "../../_ui/button.tsx";
import type { Opened } from "../../_ui/opener.tsx";
import { Card } from "../../_ui/popups.tsx";
import { useChat } from "../chat-context.ts";
import { fullNameOf, type User } from "../data/model.ts";
import { pictureOf } from "../data/picture-of.ts";
import { useOpenDirect } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";
import { usePresence } from "./presence.tsx";

/** A person's name and details, and ways to reach them. */
export function ProfileCard({ user, opened }: { user: User; opened: Opened }) {
  const { me, presence: statuses } = useChat();
  // The status from when the person came into view may be outdated.
  useEffect(() => statuses.ask(user.id), [statuses, user.id]);
  const { openDirect, isBusy, problem } = useOpen(opened.onClose);
  const { username } = user;
  const fullName = fullNameOf(user);
  const presence = strings.presence[usePresence(user.id) ?? ""];
  const hivePage = `https://hive.blog/@${username}`;
  return (
    <Card opened={opened} align="start" label={`@${username}`} className="z-40 w-64 p-4">
      <div className="flex items-center gap-3">
        <Avatar size="large" name={username} imageUrl={pictureOf(user)} />
        <div className="min-w-0">
          <p className="truncate font-semibold">@{username}</p>
          {fullName && <p className="truncate text-sm text-ink-soft">{fullName}</p>}
          {presence && <p className="text-sm text-ink-soft">{presence}</p>}
        </div>
      </div>
      <div className="mt-4 flex flex-col gap-2">
        <Button tone="primary" size="small" isBusy={isBusy} onClick={() => openDirect(username)}>
          <MessageSquare aria-hidden size={15} />
          {strings.profile.message}
        </Button>
        {user.id !== me.id && (
          <TipOpener toUsername={username} postUrl={hivePage}>
            <Button size="small">
              <HandCoins aria-hidden size={15} />
              {strings.profile.tip}
            </Button>
          </TipOpener>
        )}
        <a
          href={hivePage}
          target="_blank"
          rel="noreferrer noopener"
          className={buttonLook({ size: "small" })}
        >
          <ExternalLink aria-hidden size={15} />
          {strings.profile.hivePage}
        </a>
      </div>
      {problem && (
        <p role="alert" className="mt-3 text-sm text-danger">
          {problem}
        </p>
      )}
    </Card>
  );
}

/** The longest wait that a quota other than the daily one requires. */
const LONG_SECONDS = 60;

/** Returns why a conversation with a person can't be opened. */
function refusalOf(error: unknown, username: string): string {
  const { noAccount, closedAccount, tooManyNew } = strings.finder;
  if (!(error instanceof ChatError)) return problemOf(error);
  if (error.code === "not_found") return noAccount(username);
  if (error.code === "forbidden") return closedAccount(username);
  const isTooMany = error.code === "rate_limited" && (error.retryAfterSeconds ?? 0) > LONG_SECONDS;
  return isTooMany ? tooManyNew : problemOf(error);
}

/**
 * Returns functions that open a conversation: one of the user's, another to view, or a new one with a person.
 * `problem` is the failure to show.
 */
export function useOpen(onOpened: () => void) {
  const router = useRouter();
  const direct = useOpenDirect();
  const [problem, setProblem] = useState<string>();

  const openChannel = (channelId: string) => {
    router.push(`/chat/${channelId}`);
    onOpened();
  };
  const openDirect = (username: string) =>
    direct.mutate(username, {
      onSuccess: openChannel,
      onError: (error) => setProblem(refusalOf(error, username)),
    });

  return {
    openChannel,
    openDirect,
    problem,
    forgetProblem: () => setProblem(undefined),
    isBusy: direct.isPending,
  };
}
