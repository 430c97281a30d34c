"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import type { Ref } from "react";
import { problemOf } from "../../_session/problem-of.ts";
import { Button, buttonLook } from "../../_ui/button.tsx";
import { toast } from "../../_ui/toast.tsx";
import { type Standing, useChat } from "../chat-context.ts";
import { copyText } from "../copy.ts";
import { readDraft } from "../data/drafts.ts";
import { useMembership } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

type Unwritable = Exclude<Standing, "member">;

/** The reason why a person can read here but not write. */
export const standingText = (standing: Unwritable, isPrivate: boolean): string =>
  strings.channel.standing[standing === "removed" && isPrivate ? "removedPrivate" : standing];

/**
 * Replaces the composer for people who can read but not write: says why, what they can do, and what happens
 * to their unsent text.
 */
export function StandingBar({
  channelId,
  rootId,
  standing,
  isPrivate,
  mayLeave = false,
}: {
  channelId: string;
  rootId: string;
  standing: Unwritable;
  isPrivate: boolean;
  mayLeave?: boolean;
}) {
  const { me } = useChat();
  const draft = readDraft(me.username, channelId, rootId);
  const isClosed = ["archived", "deactivated"].includes(standing) || (standing === "removed" && isPrivate);
  return (
    <div className="border-t border-line bg-surface p-4 text-center text-sm text-ink-soft">
      <p role={rootId === "" && standing !== "guest" ? "alert" : undefined}>
        {standingText(standing, isPrivate)}
      </p>
      {draft !== "" && (
        <p className="mt-1">
          <span>{isClosed ? strings.channel.standing.draft : strings.channel.standing.draftKept}</span>
          {isClosed && (
            <Button size="small" tone="plain" className="ms-1" onClick={() => void copyText(draft)}>
              {strings.message.copyText}
            </Button>
          )}
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center justify-center gap-3 empty:hidden">
        {!isClosed && <JoinButton channelId={channelId} isAgain={standing === "removed"} />}
        {rootId === "" && mayLeave && <LeaveButton channelId={channelId} />}
        {rootId === "" && standing !== "guest" && (
          <Link href="/chat" prefetch={false} className={buttonLook()}>
            {strings.channel.back}
          </Link>
        )}
      </div>
    </div>
  );
}

/** Joins a channel, and reports a refusal. */
export function JoinButton({
  channelId,
  isAgain = false,
  ref,
}: {
  channelId: string;
  isAgain?: boolean;
  ref?: Ref<HTMLButtonElement>;
}) {
  const { isPending, act } = useMembershipAct(channelId);
  return (
    <Button ref={ref} tone="primary" isBusy={isPending} onClick={() => void act("join")}>
      {isAgain ? strings.channel.joinAgain : strings.channel.join}
    </Button>
  );
}

/** Leaves an archived channel, which is then only reachable by its link. */
function LeaveButton({ channelId }: { channelId: string }) {
  const router = useRouter();
  const { isPending, act } = useMembershipAct(channelId);
  const leave = async () => {
    if (await act("leave")) router.push("/chat");
  };
  return (
    <Button isBusy={isPending} onClick={() => void leave()}>
      {strings.channel.leave}
    </Button>
  );
}

function useMembershipAct(channelId: string) {
  const membership = useMembership();
  return {
    isPending: membership.isPending,
    /** Resolves to whether the action succeeded. A refusal is reported to the user. */
    act: (act: "join" | "leave"): Promise<boolean> =>
      membership.mutateAsync({ channelId, act }).then(
        () => true,
        (error: unknown) => {
          toast.error(problemOf(error));
          return false;
        },
      ),
  };
}
